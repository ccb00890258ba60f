// Compares our Pod Security with Kubernetes' own: every fixture of the Go module
// k8s.io/pod-security-admission is judged by the module's evaluator and by ours, at its own level and
// version, at the other level, and at the latest version; the words must be the same.
//
//   make compat-podsecurity

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Pod } from "../src/api/types/core.ts";
import {
  describe,
  type Level,
  parseVersion,
  violations,
} from "../src/control/apiserver/security/pod-security/policy.ts";

const kubernetes = "0.36.3";
const work = new URL("../.cache/peers/src-pod-security", import.meta.url).pathname;
const binary = new URL("../.cache/peers/pod-security", import.meta.url).pathname;

/** Prints a line of JSON for each fixture, level and version: what genuine code says of it. */
const program = `package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

type line struct{ File, Level, Version, Detail string }

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err)
	}
	files, _ := filepath.Glob(filepath.Join(os.Args[1], "*", "*", "*", "*.yaml"))
	out := json.NewEncoder(os.Stdout)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		pod := corev1.Pod{}
		if err := yaml.Unmarshal(text, &pod); err != nil {
			panic(err)
		}
		parts := strings.Split(file, string(filepath.Separator))
		for _, version := range []string{parts[len(parts)-3], "latest"} {
			for _, level := range []api.Level{api.LevelBaseline, api.LevelRestricted} {
				parsed, err := api.ParseVersion(version)
				if err != nil {
					panic(err)
				}
				lv := api.LevelVersion{Level: level, Version: parsed}
				result := policy.AggregateCheckResults(evaluator.EvaluatePod(lv, &pod.ObjectMeta, &pod.Spec))
				out.Encode(line{file, string(level), version, result.ForbiddenDetail()})
			}
		}
	}
}
`;

interface Line {
  readonly File: string;
  readonly Level: Level;
  readonly Version: string;
  readonly Detail: string;
}

build();
const fixtures = join(moduleFolder(), "test", "testdata");
const lines = execFileSync(binary, [fixtures], { maxBuffer: 1 << 30, encoding: "utf8" })
  .trim()
  .split("\n")
  .map((text) => JSON.parse(text) as Line);
const pods = new Map<string, Pod>();
let differences = 0;
for (const { File: file, Level: level, Version: text, Detail: genuine } of lines) {
  const pod = pods.get(file) ?? (parse(readFileSync(file, "utf8")) as Pod);
  pods.set(file, pod);
  const version = parseVersion(text) ?? "latest";
  const { spec, metadata } = pod;
  const own = describe(
    violations({ spec, annotations: metadata.annotations ?? {} }, { level, version }),
  );
  if (own === genuine) continue;
  differences++;
  const where = file.slice(fixtures.length + 1);
  console.error(`${where} at ${level}:${text}\n  genuine: ${genuine}\n  ours:    ${own}`);
}
console.log(`${pods.size} fixtures, ${lines.length} comparisons, ${differences} differences`);
process.exit(pods.size > 0 && differences === 0 ? 0 : 1);

function build(): void {
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "main.go"), program);
  const go = (...words: string[]) =>
    execFileSync("go", words, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(work, "go.mod"), "module podsecurity\n");
  go("get", ...["api", "pod-security-admission"].map((part) => `k8s.io/${part}@v${kubernetes}`));
  go("mod", "tidy");
  go("build", "-o", binary, ".");
}

function moduleFolder(): string {
  const answer = execFileSync(
    "go",
    ["mod", "download", "-json", `k8s.io/pod-security-admission@v${kubernetes}`],
    {
      cwd: work,
      encoding: "utf8",
    },
  );
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

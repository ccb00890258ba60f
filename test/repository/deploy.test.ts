// The files of deploy/ are what `make manifests` writes, and say only what exists: metrics, programs, objects, commands.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { globalOptions } from "../../src/base/command-line/global-options.ts";
import { nameOptions } from "../../src/base/program/options.ts";
import { manifests, parts } from "../../tools/deploy/manifests.ts";
import { commandAt } from "../../tools/dist/shared-files.ts";
import { printedCommands } from "../fixtures/printed-commands.ts";
import { expressions, metricsIn } from "../fixtures/promql.ts";

test("[INST-6] the manifests of deploy/ are those of tools/deploy: 'make manifests' writes them", async () => {
  const wanted = await manifests();
  const found = globSync("{bases,crds,chart,monitoring}/**/*.{yaml,json}", { cwd: "deploy" });
  assert.deepEqual(found.toSorted(), [...wanted.keys()].toSorted());
  for (const [path, content] of wanted) {
    assert.equal(readFileSync(`deploy/${path}`, "utf8"), content, path);
  }
});

test("[INST-6] alerts and dashboard ask for metrics that our programs have", () => {
  const registered = new Set(
    globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "**/testing/**"] }).flatMap((file) =>
      [
        ...readFileSync(file, "utf8").matchAll(/(?:counter|gauge|histogram)\(\s*"([a-z0-9_]+)"/g),
      ].map(([, name = ""]) => name),
    ),
  );
  const asked = new Set(expressions().flatMap(metricsIn));
  assert.ok(asked.size > 25);
  assert.deepEqual(
    [...asked].filter((name) => !registered.has(name)),
    [],
  );
});

test("names of metrics are told from the functions, labels and durations around them", () => {
  const expr =
    'sum by (le, rcode) (rate(dns_seconds_bucket{job=~"a.*", rcode!="x"}[5m])) / up > 0.5';
  assert.deepEqual(metricsIn(expr), ["dns_seconds"]);
});

test("[INST-6] every command that docs/beside-kubernetes.md prints is about what the manifests have", async () => {
  const path = "docs/beside-kubernetes.md";
  const page = readFileSync(path, "utf8");
  const lines = (await printedCommands(path)).split("\n");
  const objects = [...(await manifests()).values()].join("\n");
  for (const line of lines.filter((each) => each.startsWith("tandem "))) {
    const words = line.split(" ").slice(1);
    const { options } = await commandAt(words);
    const known = nameOptions({ ...options, ...globalOptions }).map(({ flag }) => `--${flag}`);
    for (const flag of words.filter((word) => word.startsWith("--"))) {
      assert.ok(known.includes(flag.split("=")[0] ?? ""), line);
    }
  }
  for (const [, file = ""] of page.matchAll(/(deploy\/[a-z./-]+[a-z])/g)) {
    assert.ok(globSync(file).length > 0, file);
  }
  for (const [, name = ""] of lines
    .join("\n")
    .matchAll(/(?:daemonset|deployment) (tandem-[a-z-]+)/g)) {
    assert.match(objects, new RegExp(`^  name: ${name}$`, "m"));
  }
  for (const { name } of parts) assert.match(page, new RegExp(`apply -k overlays/${name}$`, "m"));
  for (const [, pod = "", port = ""] of page.matchAll(/^\| `(tandem-[a-z-]+)` \| (\d+)/gm)) {
    assert.match(objects, new RegExp(`^  name: ${pod}(-metrics)?\n[^]*?port: ${port}$`, "m"));
  }
});

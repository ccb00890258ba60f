// Runs Kubernetes' own end-to-end suite against a cluster of its own and writes what came of it.
//
//   test/conformance/run.ts, by environment variables:
//   FOCUS=, SKIP=     regular expressions over the tests' names; all conformance tests when not given
//   CLUSTER=          a key of `clusters` below; ipv4-first when not given; any name with KUBECONFIG_OF
//   PROCESSES=        how many tests run side by side; 4 when not given (serial tests always run alone)
//   KUBECONFIG_OF=    the kubeconfig of a cluster that runs already, in place of one of our own
//   PAGE=             the name of the page in docs/conformance; that of the cluster when all conformance tests run
//   AGAIN=yes         the tests of FOCUS were run before: their results join the page as later ones
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fillStore, makeImages } from "./images.ts";
import { addToPage } from "./pages.ts";
import { readReport, type TestResult } from "./report.ts";

const pods = ["10.244.0.0/16", "fd00:10:244::/56"];
const services = ["10.96.0.0/16", "fd00:10:96::/112"];
const clusters: Readonly<Record<string, readonly string[]>> = {
  "ipv4-first": [`--pod-cidr=${pods.join()}`, `--service-cidr=${services.join()}`],
  "ipv6-first": [
    `--pod-cidr=${pods.toReversed().join()}`,
    `--service-cidr=${services.toReversed().join()}`,
  ],
  "ipv6-only": [`--pod-cidr=${pods[1]}`, `--service-cidr=${services[1]}`],
  "three-control-planes": ["--control-planes=3"],
};

const root = new URL("../..", import.meta.url).pathname;
const { env } = process;
const given = (name: string) => (env[name] === "" ? undefined : env[name]);
const focus = given("FOCUS") ?? String.raw`\[Conformance\]`;
const skip = given("SKIP") ?? "";
const cluster = given("CLUSTER") ?? "ipv4-first";
const processes = given("PROCESSES") ?? "4";
const running = given("KUBECONFIG_OF");
// A cluster that runs already is called what its owner says.
const flags = clusters[cluster] ?? (running === undefined ? undefined : []);
if (flags === undefined) {
  console.error(
    `Cannot run on CLUSTER=${cluster}: it is one of ${Object.keys(clusters).join(", ")}`,
  );
  process.exit(2);
}

const cache = join(root, ".cache/conformance");
const results = join(cache, `results-${cluster}-${process.pid}`);
mkdirSync(results, { recursive: true });
const program = (name: string) =>
  execFileSync(join(root, "bench/peers/build"), [name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
const suite = program("e2e.test");
const ginkgo = program("ginkgo");
// The suite lists them in another order each time, which must not make them anew.
const listed = execFileSync(suite, ["--list-images"], { encoding: "utf8" });
const names = listed.trim().split("\n").toSorted();
const tandem = join(root, "bin/tandem");
// Tests of sig-cli want a kubectl of the suite's own version.
const kubectl = execFileSync(join(root, "tools/fetch-kubectl"), ["1.36"], { encoding: "utf8" });
const archive = await makeImages({ cache, names, program });
const store = fillStore(cache, { archive, tandem });

const name = `conformance-${process.pid}`;
const kubeconfig = running ?? join(results, "kubeconfig");
const start = Date.now();
const revision = ["-C", root, "rev-parse", "--short=8", "HEAD"];
const commit = execFileSync("git", revision, { encoding: "utf8" }).trim();
let exitCode = 0;
try {
  if (running === undefined) {
    const up = ["up", "--detach", `--name=${name}`, "--port=0", "--nodes=3", "--host-access"];
    const data = join(results, "cluster");
    run(tandem, [...up, ...flags, `--kubeconfig-out=${kubeconfig}`, `--data-dir=${data}`]);
    // Unpacking hundreds of megabytes sixteen times takes minutes; links to what the first run unpacked take none.
    run("cp", ["-al", join(store, "trees"), join(store, "references"), join(data, "images")]);
  }
  // Serial tests change what others rely on, such as taints of nodes.
  const first = runSuite({ part: "side-by-side", processes, labels: "!Serial && !Disruptive" });
  exitCode = runSuite({ part: "serial", processes: "1", labels: "Serial || Disruptive" }) || first;
} finally {
  if (running === undefined) spawnSync(tandem, ["down", `--name=${name}`], { stdio: "inherit" });
}

const all = ["side-by-side", "serial"].flatMap((part): readonly TestResult[] => {
  const file = join(results, `${part}.json`);
  return existsSync(file) ? readReport(readFileSync(file, "utf8")) : [];
});
const isWhole = given("FOCUS") === undefined && skip === "";
const isAgain = given("AGAIN") !== undefined;
const pagePath = addToPage({
  cache,
  // A part of the suite says nothing about the whole: its page stays with the other results of the run.
  folder:
    isWhole || isAgain || given("PAGE") !== undefined ? join(root, "docs/conformance") : results,
  name: given("PAGE") ?? (isWhole || isAgain ? cluster : "page"),
  isAgain,
  run: {
    date: new Date().toISOString().slice(0, 10),
    commit,
    version: execFileSync(suite, ["--version"], { encoding: "utf8" }).trim(),
    cluster,
    focus,
    skip,
    minutes: Math.round((Date.now() - start) / 60_000),
    results: all,
  },
});
const failed = all.filter((result) => result.state === "failed");
for (const result of failed) console.log(`failed: ${result.name}\n        ${result.message}`);
const passed = all.filter((result) => result.state === "passed");
console.log(`${passed.length} of ${all.length} passed; see ${pagePath}`);
process.exit(failed.length > 0 || all.length === 0 ? 1 : exitCode);

interface Part {
  readonly part: string;
  readonly processes: string;
  /** A filter over labels of tests, besides the focus. */
  readonly labels: string;
}

function runSuite(chosen: Part): number {
  const { part } = chosen;
  const report = [
    `--output-dir=${results}`,
    `--json-report=${part}.json`,
    `--junit-report=${part}.xml`,
  ];
  const choice = [
    `--label-filter=${chosen.labels}`,
    `--focus=${focus}`,
    ...(skip === "" ? [] : [`--skip=${skip}`]),
  ];
  const options = [
    "--provider=skeleton",
    "--num-nodes=3",
    "--dump-logs-on-failure=false",
    `--kubectl-path=${kubectl.trim()}`,
  ];
  const { status } = spawnSync(
    ginkgo,
    [
      "run",
      `--procs=${chosen.processes}`,
      "--timeout=4h",
      "--no-color",
      ...report,
      ...choice,
      suite,
      "--",
      ...options,
      `--kubeconfig=${kubeconfig}`,
    ],
    { stdio: "inherit" },
  );
  return status ?? 1;
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: "inherit" });
}

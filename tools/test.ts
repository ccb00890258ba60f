// Runs the tests of the named groups (all of them when none is named) and ends with one line that counts them.

import { globSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { planTests } from "./test-plan.ts";
import { add, type FileResult, runPool } from "./test-pool.ts";

/** No file takes nearly as long; one that hangs must not take the run with it. */
const mostMs = process.env["TANDEM_SOAK"] === "1" ? 3_600_000 : 600_000;
const silentMs = mostMs + 60_000;

const units = ["src/**/*.test.ts", "test/repository/*.test.ts", "test/simulation/*.test.ts"];
/** The groups of tests with real parts; all that are wanted run as one pool. */
const groups: Readonly<Record<string, string>> = {
  compat: "test/compat/**/*.test.ts",
  e2e: "test/e2e/**/*.test.ts",
  fault: "test/fault/**/*.test.ts",
  security: "test/security/**/*.test.ts",
  // Only when asked for: it builds programs from Go modules.
  genuine: "test/genuine/**/*.test.ts",
};
const byDefault = ["unit", "compat", "e2e", "fault", "security"];

/** Programs under test have a cache of their own. */
const compiled = new URL("../.cache/compiled", import.meta.url).pathname;
/** Here lies, for each component, a file that runs the unit tests of all its files. */
const together = new URL("../.cache/tests", import.meta.url).pathname;

const total = { passed: 0, failed: 0, skipped: 0 };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : byDefault;
const files = wanted.filter((name) => name.endsWith(".test.ts"));
const unknown = wanted.filter(
  (name) => name !== "unit" && !(name in groups) && !files.includes(name),
);
if (unknown.length > 0) {
  const known = ["unit", ...Object.keys(groups)].join(", ");
  console.error(`Cannot run ${unknown.join(", ")}: the groups are ${known}`);
  process.exit(2);
}
if (wanted.includes("unit")) await runUnits();
const pooled = [
  ...files,
  ...Object.keys(groups).flatMap((name) => (wanted.includes(name) ? [groups[name] ?? ""] : [])),
];
if (pooled.length > 0) await runReal(pooled);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

async function runReal(patterns: readonly string[]): Promise<void> {
  delete process.env["NODE_COMPILE_CACHE"];
  const started = performance.now();
  const results = await runPool(planTests(patterns), mostMs);
  for (const { passed, failed, skipped } of results) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  const dearest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 15);
  const sum = results.reduce((seconds, each) => seconds + each.seconds, 0);
  const wall = (performance.now() - started) / 1000;
  console.log(
    `\n${results.length} files, ${sum.toFixed(0)} s one by one, ${wall.toFixed(0)} s side by side; the longest:`,
  );
  for (const { seconds, file } of dearest)
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  tellFailed(results);
}

/** What failed is far above by now. */
function tellFailed(results: readonly FileResult[]): void {
  for (const { file, failed } of results) {
    if (failed > 0) console.log(`${failed} failed in ${file}`);
  }
}

async function runUnits(): Promise<void> {
  const found = globSync(units).toSorted();
  console.log(`\nunit: ${found.length} files`);
  process.env["NODE_COMPILE_CACHE"] = compiled;
  // A process that stays although its tests are over says nothing any more.
  const silence = new AbortController();
  const tooLong = setTimeout(() => {
    console.error(`unit: nothing was heard for ${silentMs / 1000} seconds`);
    total.failed++;
    silence.abort();
  }, silentMs);
  const stream = run({
    files: joinByComponent(found),
    // Some wait for a clock while others work.
    concurrency: 2 * availableParallelism(),
    timeout: mostMs,
    signal: silence.signal,
  });
  stream.on("test:summary", (summary) => {
    if (summary.file === undefined) add(total, summary);
  });
  for await (const chunk of stream.compose(spec)) {
    tooLong.refresh();
    process.stdout.write(chunk as Buffer);
  }
  clearTimeout(tooLong);
}

/** A process that has loaded a component's code tests all of it: most of the time of a process is loading. */
function joinByComponent(members: readonly string[]): readonly string[] {
  mkdirSync(together, { recursive: true });
  const components = Map.groupBy(members, (file) => file.split("/").slice(0, 3).join("-"));
  return [...components].map(([component, those]) => {
    const suites = those.map(
      (file) => `await suite("${file}", async () => {\n  await import("../../${file}");\n});\n`,
    );
    const path = `${together}/${component}.test.ts`;
    // Whole at any moment, since another run may be reading it.
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, `import { suite } from "node:test";\n\n${suites.join("")}`);
    renameSync(unfinished, path);
    return path;
  });
}

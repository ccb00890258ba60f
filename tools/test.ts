// Runs the tests of the named groups (all of them when none is named) and ends with one line that counts them.

import { globSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";

/** No file takes nearly as long; one that hangs must not take the run with it. */
const mostMs = process.env["TANDEM_SOAK"] === "1" ? 3_600_000 : 600_000;
const silentMs = mostMs + 60_000;

/** Kernel state is shared, so what touches it runs one file at a time. */
const groups = [
  {
    name: "unit",
    files: ["src/**/*.test.ts", "test/repository/*.test.ts"],
    // Some wait for a clock while others work.
    concurrency: 2 * availableParallelism(),
  },
  { name: "compat", files: ["test/compat/**/*.test.ts"], concurrency: 1 },
  { name: "e2e", files: ["test/e2e/**/*.test.ts"], concurrency: 1 },
  // Only when asked for: it builds programs from Go modules.
  { name: "genuine", files: ["test/genuine/**/*.test.ts"], concurrency: 1, isExtra: true },
  { name: "fault", files: ["test/fault/**/*.test.ts"], concurrency: 1 },
  { name: "security", files: ["test/security/**/*.test.ts"], concurrency: 1 },
];

/** Programs under test have a cache of their own. */
const compiled = new URL("../.cache/compiled", import.meta.url).pathname;
/** Here lies, for each component, a file that runs the unit tests of all its files. */
const together = new URL("../.cache/tests", import.meta.url).pathname;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !groups.some((group) => group.name === name));
if (unknown.length > 0) {
  console.error(
    `Cannot run ${unknown.join(", ")}: the groups are ${groups.map((group) => group.name).join(", ")}`,
  );
  process.exit(2);
}

const total = { passed: 0, failed: 0, skipped: 0 };
for (const group of groups) {
  if (wanted.length > 0 ? !wanted.includes(group.name) : group.isExtra === true) continue;
  await runGroup(group);
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

async function runGroup(group: (typeof groups)[number]): Promise<void> {
  const files = globSync(group.files).toSorted();
  if (files.length === 0) return;
  console.log(`\n${group.name}: ${files.length} files`);
  const isUnit = group.name === "unit";
  if (isUnit) process.env["NODE_COMPILE_CACHE"] = compiled;
  else delete process.env["NODE_COMPILE_CACHE"];
  // A process that stays although its tests are over says nothing any more.
  const silence = new AbortController();
  const tooLong = setTimeout(() => {
    console.error(`${group.name}: nothing was heard for ${silentMs / 1000} seconds`);
    total.failed++;
    silence.abort();
  }, silentMs);
  const stream = run({
    files: isUnit ? joinByComponent(files) : files,
    concurrency: group.concurrency,
    timeout: mostMs,
    signal: silence.signal,
    // Programs that a failed test leaves behind would keep its process. What such a process did not get
    // to say is not counted, but its exit code is heeded.
    execArgv: isUnit ? [] : ["--test-force-exit"],
  });
  stream.on("test:summary", (summary) => {
    if (summary.file !== undefined) return;
    const { tests, passed, skipped, todo } = summary.counts;
    total.passed += passed;
    total.skipped += skipped + todo;
    // A suite that throws, or a file that cannot be loaded, is not among the tests.
    total.failed += Math.max(tests - passed - skipped - todo, summary.success ? 0 : 1);
  });
  for await (const chunk of stream.compose(spec)) {
    tooLong.refresh();
    process.stdout.write(chunk as Buffer);
  }
  clearTimeout(tooLong);
}

/** A process that has loaded a component's code tests all of it: most of the time of a process is loading. */
function joinByComponent(files: readonly string[]): readonly string[] {
  mkdirSync(together, { recursive: true });
  const components = Map.groupBy(files, (file) => file.split("/").slice(0, 3).join("-"));
  return [...components].map(([component, members]) => {
    const suites = members.map(
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

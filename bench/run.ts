// Runs the benchmarks of this folder. `node bench/run.ts --help` explains.

import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { Benchmark } from "./harness.ts";
import { plotOf } from "./plot.ts";
import { type Report, runBenchmark, type Selection } from "./runner.ts";
import { tableOf } from "./table.ts";

const help = `Usage: bench/run.ts [--output table|json] [--docs] [--list] [NAME[:GROUP[:CASE]] ...]

Runs the named benchmarks (files NAME.bench.ts beside this one), or all of them, each case RUNS
times (environment, default 5), and prints the median, the smallest and the largest figure of each,
and how the median compares with the baseline's. Progress goes to standard error; each report is
also written to build/bench, as NAME.json and as a picture, NAME.svg. With --docs the picture and the
table go to docs/figures, too. The form of a benchmark is explained in bench/harness.ts.

GROUP and CASE are words of the names that the table has: \`proxy:10000:tandem nftables\` measures
nothing else, and is printed, but not written anywhere.

Exit status: 0 when every case was measured or is not available here, 1 when one failed, 2 when the
command line is wrong, 130 when interrupted.
`;

const results = join(import.meta.dirname, "../build/bench");
const figures = join(import.meta.dirname, "../docs/figures");

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      docs: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
      list: { type: "boolean" },
      output: { type: "string", short: "o", default: "table" },
    },
  });
  if (values.help === true) return print(help);
  const known = globSync("*.bench.ts", { cwd: import.meta.dirname })
    .map((file) => basename(file, ".bench.ts"))
    .toSorted();
  if (values.list === true) return print(`${known.join("\n")}\n`);
  const chosen = (positionals.length > 0 ? positionals : known).map(choiceOf);
  const unknown = chosen.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    return refuse(`Cannot run benchmark ${unknown.join(", ")}: there are ${known.join(", ")}`);
  }
  if (values.output !== "table" && values.output !== "json") {
    return refuse(`Cannot print as ${values.output}: --output is table or json`);
  }
  const runs = Number(process.env["RUNS"] ?? 5);
  if (!Number.isInteger(runs) || runs < 1) {
    return refuse(`Cannot run ${process.env["RUNS"]} times: RUNS is a whole number from 1`);
  }
  return await runAll(chosen, { runs, output: values.output, docs: values.docs });
}

interface Choice extends Selection {
  readonly name: string;
}

function choiceOf(text: string): Choice {
  const [name = "", group, caseWords] = text.split(":");
  return { name, group, case: caseWords };
}

async function runAll(
  choices: readonly Choice[],
  { runs, output, docs }: { runs: number; output: "table" | "json"; docs: boolean },
): Promise<number> {
  // The first Ctrl-C lets the cases close what they opened.
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const reports: Report[] = [];
  for (const choice of choices) {
    const { name } = choice;
    const module = (await import(`./${name}.bench.ts`)) as { default: Benchmark };
    const report = await runBenchmark(module.default, {
      ...choice,
      runs,
      signal: interrupted.signal,
      progress: (step) => showProgress(`${name} · ${step}`),
    });
    clearProgress();
    if (report === undefined) return 130;
    if (choice.group === undefined) store(report, docs);
    if (output === "table") print(`${tableOf(report)}\n`);
    reports.push(report);
  }
  if (output === "json") print(`${JSON.stringify(reports, null, 2)}\n`);
  const missing = reports.flatMap(({ groups }) => groups.flatMap((group) => group.missing));
  return missing.some(({ failed }) => failed) ? 1 : 0;
}

function store(report: Report, docs: boolean): void {
  const { name } = report;
  const plot = plotOf(report);
  write(results, `${name}.json`, `${JSON.stringify(report, null, 2)}\n`);
  if (plot !== undefined) write(results, `${name}.svg`, plot);
  if (docs) write(figures, `${name}.txt`, tableOf(report));
  if (docs && plot !== undefined) write(figures, `${name}.svg`, plot);
}

function write(directory: string, name: string, content: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), content);
}

/** On a terminal one line that changes; elsewhere a line for each step. */
function showProgress(step: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${step}` : `${step}\n`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}

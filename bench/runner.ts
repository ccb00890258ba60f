// Runs a benchmark into a report: plain data, which is what gets printed and stored.

import { availableParallelism, cpus } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inspect } from "node:util";
import { defined } from "../src/base/json/defined.ts";
import {
  type Benchmark,
  type Figure,
  type Figures,
  type Group,
  type Measure,
  Unavailable,
} from "./harness.ts";

export interface Report {
  readonly name: string;
  readonly title: string;
  readonly date: string;
  readonly runs: number;
  readonly machine: { readonly processor: string; readonly cores: number; readonly node: string };
  readonly groups: readonly GroupReport[];
  /** Why nothing was measured at all. */
  readonly unavailable?: string;
}

export interface GroupReport {
  readonly name: string;
  readonly baseline?: string;
  readonly rows: readonly Row[];
  readonly missing: readonly Missing[];
}

/** One figure of one case over all runs. */
export interface Row {
  readonly case: string;
  readonly figure: string;
  readonly unit: string;
  readonly better: Figure["better"];
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly values: readonly number[];
  /** The median as a multiple of the baseline's. */
  readonly ratio?: number;
}

export interface Missing {
  readonly case: string;
  readonly reason: string;
  /** Broken, rather than merely not available here. */
  readonly failed: boolean;
}

export interface RunOptions extends Selection {
  readonly name: string;
  readonly runs: number;
  readonly signal: AbortSignal;
  readonly progress: (step: string) => void;
}

/** Groups and cases in whose names these words stand; all, where none are given. */
export interface Selection {
  readonly group?: string | undefined;
  readonly case?: string | undefined;
}

/** Nothing is reported when the signal came in between. */
export async function runBenchmark(
  benchmark: Benchmark,
  options: RunOptions,
): Promise<Report | undefined> {
  const { name, runs } = options;
  const machine = {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    node: process.version,
  };
  const head = { name, title: benchmark.title, date: new Date().toISOString(), runs, machine };
  await using scope = new AsyncDisposableStack();
  try {
    const groups: GroupReport[] = [];
    for (const group of await benchmark.groups(scope)) {
      if (isChosen(group.name, options.group)) groups.push(await runGroup(group, options));
    }
    return { ...head, groups };
  } catch (error) {
    if (options.signal.aborted) return undefined;
    if (!(error instanceof Unavailable)) throw error;
    return { ...head, groups: [], unavailable: error.message };
  }
}

interface Runner {
  readonly name: string;
  readonly measure: Measure;
  readonly results: Figures[];
}

/** `1000` stands in `1000 services`, and not in `10000 services`. */
function isChosen(name: string, words: string | undefined): boolean {
  return words === undefined || ` ${name} `.includes(` ${words} `);
}

async function runGroup(group: Group, options: RunOptions): Promise<GroupReport> {
  const { name, baseline } = group;
  if (baseline !== undefined && !Object.hasOwn(group.cases, baseline)) {
    throw new Error(`Cannot run ${name}: its baseline ${baseline} is none of its cases`);
  }
  await using scope = new AsyncDisposableStack();
  const missing: Missing[] = [];
  /** A case that cannot go on is noted; the others go on. */
  const guard = async (caseName: string, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      const failed = !(error instanceof Unavailable);
      if (failed) options.progress(`${name} · ${caseName}: ${inspect(error)}\n`);
      const reason = error instanceof Error ? error.message : String(error);
      missing.push({ case: caseName, reason, failed });
    }
  };
  let runners: Runner[] = [];
  for (const [caseName, prepare] of Object.entries(group.cases)) {
    if (!isChosen(caseName, options.case)) continue;
    options.progress(`${name} · ${caseName}: preparing`);
    await guard(caseName, async () => {
      runners.push({ name: caseName, measure: await prepare(scope), results: [] });
    });
  }
  for (let run = 1; run <= options.runs; run++) {
    for (const runner of runners) {
      // Signals arrive only between turns of the event loop, which not every measure gives way to.
      await nextTurn();
      options.signal.throwIfAborted();
      options.progress(`${name} · ${runner.name}: run ${run} of ${options.runs}`);
      await guard(runner.name, async () => {
        runner.results.push(await runner.measure());
      });
    }
    runners = runners.filter((runner) => !missing.some((other) => other.case === runner.name));
  }
  return {
    name,
    ...defined({ baseline }),
    rows: rowsOf(runners, baseline),
    missing,
  };
}

/** Figure by figure, so that what is compared stands together. */
function rowsOf(runners: readonly Runner[], baseline: string | undefined): Row[] {
  const figures = new Set(runners.flatMap((runner) => Object.keys(runner.results[0] ?? {})));
  return [...figures].flatMap((figure) => {
    const rows = runners.flatMap((runner) => rowOf(runner, figure));
    const base = rows.find((row) => row.case === baseline);
    return base === undefined
      ? rows
      : rows.map((row) => ({ ...row, ratio: row.median / base.median }));
  });
}

function rowOf(runner: Runner, figure: string): Row[] {
  const found = runner.results.flatMap((result) => result[figure] ?? []);
  const [first] = found;
  if (first === undefined) return [];
  const values = found.map(({ value }) => value);
  const { unit, better } = first;
  return [
    {
      case: runner.name,
      figure,
      unit,
      better,
      median: median(values),
      min: Math.min(...values),
      max: Math.max(...values),
      values,
    },
  ];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lowerHalf = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lowerHalf + upper) / 2;
}

// What a benchmark is made of. The file NAME.bench.ts in this folder exports one by default:
//
//   export default {
//     title: "puts into the store",
//     groups: () => [
//       {
//         name: "1 KiB values, 16 writers",
//         baseline: "etcd",
//         cases: {
//           embedded: async (scope) => {
//             const store = scope.use(await openStore());
//             return load({ operations: 2_000, concurrency: 16 }, (n) => store.put(`key-${n}`));
//           },
//           etcd: async (scope) => …,
//         },
//       },
//     ],
//   } satisfies Benchmark;
//
// A case prepares itself once and returns a measure, which is then run RUNS times, in turn with the
// other cases of its group. What it opens goes into its scope (`scope.use`, `scope.defer`) and is
// closed after the group; what several groups share goes into the scope that `groups` is given.
// A measure is one of those below, or any function that returns figures:
//
//   () => ({ memory: lower(process.memoryUsage().rss, "bytes"), hits: higher(hits, "hits") })
//
// A case whose peer is not there throws `Unavailable` with the reason, which is then printed.

import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Benchmark {
  readonly title: string;
  groups(scope: AsyncDisposableStack): readonly Group[] | Promise<readonly Group[]>;
}

/** Cases that are compared with each other, and with the one that is named as the baseline. */
export interface Group {
  readonly name: string;
  readonly baseline?: string;
  readonly cases: Readonly<Record<string, Case>>;
}

export type Case = (scope: AsyncDisposableStack) => Measure | Promise<Measure>;

export type Measure = () => Figures | Promise<Figures>;

/** By name: "rate", "p99", "memory". */
export type Figures = Readonly<Record<string, Figure>>;

export interface Figure {
  readonly value: number;
  /** "ms", "bytes" and whatever ends in "/s" are printed in a readable size. */
  readonly unit: string;
  readonly better: "lower" | "higher";
}

export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

export function lower(value: number, unit: string): Figure {
  return { value, unit, better: "lower" };
}

export function higher(value: number, unit: string): Figure {
  return { value, unit, better: "higher" };
}

/** How often a synchronous operation runs per second, over and over through the given items. */
export function rate<T>(items: readonly T[], operation: (item: T) => unknown): Measure {
  let rounds = 0;
  return () => {
    rounds ||= roundsFor(items, operation);
    const elapsed = repeat({ items, operation, rounds });
    return { rate: higher((rounds * items.length * 1000) / elapsed, "op/s") };
  };
}

/** Throughput and latency of an operation that waits; `n` is never the same twice. */
export function load(
  { operations, concurrency = 1 }: { operations: number; concurrency?: number },
  operation: (n: number) => unknown,
): Measure {
  let next = 0;
  return async () => {
    const end = next + operations;
    const latencies: number[] = [];
    const worker = async (): Promise<void> => {
      while (next < end) {
        const started = performance.now();
        await operation(next++);
        latencies.push(performance.now() - started);
      }
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: concurrency }, worker));
    const elapsed = performance.now() - started;
    return { rate: higher((operations * 1000) / elapsed, "op/s"), ...distribution(latencies) };
  };
}

/** How long one call takes. */
export function duration(operation: () => unknown): Measure {
  return async () => {
    const started = performance.now();
    await operation();
    return { time: lower(performance.now() - started, "ms") };
  };
}

/** How long a program takes from its start to its end, as a distribution over several starts. */
export function program(
  [file, ...args]: readonly [string, ...string[]],
  { starts = 10, env = {} }: { starts?: number; env?: Readonly<Record<string, string>> } = {},
): Measure {
  return async () => {
    const times: number[] = [];
    for (let n = 0; n < starts; n++) {
      const started = performance.now();
      await runProgram(file, { args, env });
      times.push(performance.now() - started);
    }
    return distribution(times);
  };
}

/** The median and the 99th percentile of durations in milliseconds. */
export function distribution(milliseconds: readonly number[]): Figures {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: lower(at(0.5), "ms"), p99: lower(at(0.99), "ms") };
}

/** Long enough for the compiler to settle and for the clock not to matter. */
const roundTime = 100;

function roundsFor<T>(items: readonly T[], operation: (item: T) => unknown): number {
  for (let rounds = 1; ; rounds *= 2) {
    const elapsed = repeat({ items, operation, rounds });
    if (elapsed >= roundTime) return Math.max(1, Math.round((rounds * roundTime) / elapsed));
  }
}

function repeat<T>(work: {
  items: readonly T[];
  operation: (item: T) => unknown;
  rounds: number;
}): number {
  const { items, operation, rounds } = work;
  const started = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (const item of items) {
      // Looking at the result keeps the compiler from dropping the work.
      if (operation(item) === nothing) throw new Error("Cannot measure: the operation did nothing");
    }
  }
  return performance.now() - started;
}

const nothing = Symbol("nothing");

async function runProgram(
  file: string,
  { args, env }: { args: readonly string[]; env: Readonly<Record<string, string>> },
): Promise<void> {
  // Told of extra certificates, Node takes three times as long to start.
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const child = spawn(file, args, {
    env: { ...inherited, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    if (code === 0) return;
    throw new Error(`Cannot time ${file}: it ended with ${code ?? signal}: ${stderr.trim()}`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw new Unavailable(`${file} is not installed`, { cause: error });
    }
    throw error;
  }
}

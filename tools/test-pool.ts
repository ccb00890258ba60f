// Runs test files side by side, each in a process of its own, and prints what a file said when it is over.

import { readFileSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { setTimeout as sleep } from "node:timers/promises";
import { nextFile, type PlannedFile } from "./test-plan.ts";

export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The interval at which the pool looks whether processors are idle. */
const lookMs = 2_000;

/** Runs all files; `mostMs` bounds each. */
export async function runPool(
  files: readonly PlannedFile[],
  mostMs: number,
): Promise<readonly FileResult[]> {
  const waiting = [...files];
  const running = new Map<PlannedFile, Promise<void>>();
  const results: FileResult[] = [];
  const idle = idleMeter();
  let started = performance.now();
  while (waiting.length > 0 || running.size > 0) {
    const state = {
      running: [...running.keys()],
      idle: idle(),
      sinceStartMs: performance.now() - started,
    };
    const next = nextFile(waiting, state);
    if (next === undefined) {
      const look = new AbortController();
      const pause = sleep(lookMs, undefined, { signal: look.signal }).catch(() => undefined);
      await Promise.race([pause, ...running.values()]);
      look.abort();
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    started = performance.now();
    const over = async () => {
      results.push(await runFile(next.file, mostMs));
      running.delete(next);
    };
    running.set(next, over());
  }
  return results;
}

/** The time over which idleness is averaged. */
const windowMs = 10_000;

/** Returns a function that tells the share of all processors that was idle lately. */
function idleMeter(): () => number {
  const readings: { at: number; idle: number; all: number }[] = [];
  return () => {
    const at = performance.now();
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
    // The fields are user, nice, system, idle, iowait, irq, softirq, steal.
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const all = ticks.reduce((sum, each) => sum + each, 0);
    readings.push({ at, idle: (ticks[3] ?? 0) + (ticks[4] ?? 0), all });
    while ((readings[1]?.at ?? at) < at - windowMs) readings.shift();
    const [first] = readings;
    const last = readings.at(-1);
    if (first === undefined || last === undefined || last.all === first.all) return 0;
    return (last.idle - first.idle) / (last.all - first.all);
  };
}

async function runFile(file: string, mostMs: number): Promise<FileResult> {
  const started = performance.now();
  // A process that stays although its tests are over is not ended by their timeout.
  const signal = AbortSignal.timeout(mostMs + 60_000);
  const stream = run({
    files: [file],
    concurrency: 1,
    timeout: mostMs,
    signal,
    // Programs that a failed test leaves behind would keep its process. What such a process did not get
    // to say is not counted, but its exit code is heeded.
    execArgv: ["--test-force-exit"],
  });
  const counted = { passed: 0, failed: 0, skipped: 0 };
  stream.on("test:summary", (summary) => {
    if (summary.file === undefined) add(counted, summary);
  });
  const said: Buffer[] = [];
  for await (const chunk of stream.compose(spec)) said.push(Buffer.from(chunk as Buffer));
  const seconds = (performance.now() - started) / 1000;
  if (signal.aborted) counted.failed++;
  const lateness = signal.aborted ? ", ended because its process stayed" : "";
  const text = Buffer.concat(said).toString().replaceAll(counters, "");
  process.stdout.write(`\n${file}: ${seconds.toFixed(1)} s${lateness}\n${text}`);
  return { file, seconds, ...counted };
}

/** The counts at the end of a run; one line at the end of all files has their sums. */
const counters =
  /^(?:\S+\s)?ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+\S*\n/gm;

interface Summary {
  readonly success: boolean;
  readonly counts: {
    readonly tests: number;
    readonly passed: number;
    readonly skipped: number;
    readonly todo: number;
  };
}

/** Adds the counts of a run to those so far. */
export function add(
  sum: { passed: number; failed: number; skipped: number },
  { success, counts: { tests, passed, skipped, todo } }: Summary,
): void {
  sum.passed += passed;
  sum.skipped += skipped + todo;
  // A suite that throws, or a file that cannot be loaded, is not among the tests.
  sum.failed += Math.max(tests - passed - skipped - todo, success ? 0 : 1);
}

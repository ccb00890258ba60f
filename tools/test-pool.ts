// Runs test files side by side, each in a process of its own, and prints what a file said when it is over.

import { run } from "node:test";
import { spec } from "node:test/reporters";
import { allSlots, type PlannedFile } from "./test-plan.ts";

export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Runs all files; `mostMs` bounds each. */
export async function runPool(
  files: readonly PlannedFile[],
  mostMs: number,
): Promise<readonly FileResult[]> {
  const waiting = [...files];
  const running = new Set<Promise<void>>();
  const results: FileResult[] = [];
  let free = allSlots;
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(({ slots }) => slots <= free);
    const planned = waiting[next];
    if (planned === undefined) {
      await Promise.race(running);
      continue;
    }
    waiting.splice(next, 1);
    free -= planned.slots;
    const counted = async () => {
      results.push(await runFile(planned.file, mostMs));
      free += planned.slots;
      running.delete(over);
    };
    const over = counted();
    running.add(over);
  }
  return results;
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

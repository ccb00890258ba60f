export const busyCode = 5;

/** How long a process waits for those before it; an operation takes well under a millisecond. */
const patienceMilliseconds = 20_000;

/** SQLite's own waiting sleeps ever longer, so that the last of many waits a second: this does not. */
const longestSleepMilliseconds = 8;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Does it again as long as another process has the database locked. */
export function patiently<T>(work: () => T): T {
  const deadline = performance.now() + patienceMilliseconds;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (sqliteCode(error) !== busyCode || performance.now() > deadline) throw error;
    }
    Atomics.wait(never, 0, 0, 1 + Math.random() * longestSleepMilliseconds);
  }
}

/** The primary result code of SQLite; the extended ones have it in their lowest byte. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

import type { Random } from "../../../../base/host/random.ts";

export const busyCode = 5;

/** The time for which a process waits for the lock; an operation takes well under a millisecond. */
const patienceMilliseconds = 20_000;

/**
 * The longest pause between attempts. SQLite's own busy handler sleeps ever longer, so that the last of
 * many processes waits a second.
 */
const longestSleepMilliseconds = 8;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Repeats work for as long as another process has the database locked. */
export class Patience {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  run<T>(work: () => T): T {
    const deadline = performance.now() + patienceMilliseconds;
    for (;;) {
      const done = tryOnce(work, deadline);
      if (done !== undefined) return done.value;
      Atomics.wait(never, 0, 0, this.#pause());
    }
  }

  /** Repeats work likewise, without blocking the process while it waits. */
  async runAsync<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + patienceMilliseconds;
    for (;;) {
      const done = tryOnce(work, deadline);
      if (done !== undefined) return done.value;
      await new Promise((resolve) => setTimeout(resolve, this.#pause()));
    }
  }

  #pause(): number {
    return 1 + this.#random.fraction() * longestSleepMilliseconds;
  }
}

function tryOnce<T>(work: () => T, deadline: number): { readonly value: T } | undefined {
  try {
    return { value: work() };
  } catch (error) {
    if (sqliteCode(error) !== busyCode || performance.now() > deadline) throw error;
    return undefined;
  }
}

/** Returns the primary result code of SQLite; extended codes have it in their lowest byte. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

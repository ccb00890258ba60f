import type { Random } from "../../../../base/host/random.ts";

export const busyCode = 5;

/** How long a process waits for those before it; an operation takes well under a millisecond. */
const patienceMilliseconds = 20_000;

/** SQLite's own waiting sleeps ever longer, so that the last of many waits a second: this does not. */
const longestSleepMilliseconds = 8;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Does work again as long as another process has the database locked. */
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

  /** The same for a wait that may be long, during which others can be served. */
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

/** The primary result code of SQLite; the extended ones have it in their lowest byte. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

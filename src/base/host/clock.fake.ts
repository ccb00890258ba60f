import type { Clock, Timer } from "./clock.ts";

interface Due {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until the test advances it. */
export class FakeClock implements Clock {
  #now: number;
  #elapsed = 0;
  readonly #timers = new Set<Due>();

  constructor(now: string | number = "2026-01-01T00:00:00Z") {
    this.#now = new Date(now).getTime();
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** The number of timers that have not come due, sleepers included. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Changes the time of day only, as an administrator would. */
  setNow(now: string | number): void {
    this.#now = new Date(now).getTime();
  }

  /** Advances the time; timers fire in order, each followed at once by what depends on it. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settled();
    for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
      this.#timers.delete(due);
      this.#pass(due.at - this.#elapsed);
      due.callback();
      await settled();
    }
    this.#pass(end - this.#elapsed);
  }

  setTimer(ms: number, callback: () => void): Timer {
    const due = { at: this.#elapsed + Math.max(0, ms), callback };
    this.#timers.add(due);
    return { cancel: () => this.#timers.delete(due) };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.setTimer(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #next(end: number): Due | undefined {
    let first: Due | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= end && (first === undefined || timer.at < first.at)) first = timer;
    }
    return first;
  }

  #pass(ms: number): void {
    this.#elapsed += ms;
    this.#now += ms;
  }
}

/** Waits for one turn of the event loop, in which promises that follow from each other settle. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

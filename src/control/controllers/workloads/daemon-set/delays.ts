// Delays for what fails again and again.

import type { Clock } from "../../../../base/host/clock.ts";

const initialMs = 1_000;
const maximumMs = 15 * 60_000;

interface Delay {
  readonly ms: number;
  /** The end of the delay, on the monotonic clock. */
  readonly until: number;
}

export class Delays {
  readonly #clock: Clock;
  readonly #delays = new Map<string, Delay>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Doubles the delay after a failure; after a long time without one it starts afresh. */
  fail(key: string): void {
    const now = this.#clock.monotonic();
    this.#forgetOld(now);
    const before = this.#delays.get(key);
    const ms = before === undefined ? initialMs : Math.min(maximumMs, 2 * before.ms);
    this.#delays.set(key, { ms, until: now + ms });
  }

  remaining(key: string): number {
    return Math.max(0, (this.#delays.get(key)?.until ?? 0) - this.#clock.monotonic());
  }

  #forgetOld(now: number): void {
    for (const [key, { until, ms }] of this.#delays) {
      if (now > until + Math.max(ms, initialMs * 60)) this.#delays.delete(key);
    }
  }
}

import type { Clock } from "../../../base/host/clock.ts";

export interface RateLimit {
  readonly perSecond: number;
  /** The number of requests that may pass at once. */
  readonly burst: number;
}

/** A rate limiter that lets requests pass in the order they came. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  /** The time at which the token bucket will be, or was, full. */
  #fullAt: number;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#fullAt = clock.monotonic();
  }

  async pass(signal: AbortSignal): Promise<void> {
    const { perSecond, burst } = this.#limit;
    const now = this.#clock.monotonic();
    const step = 1000 / perSecond;
    this.#fullAt = Math.max(this.#fullAt, now) + step;
    const wait = this.#fullAt - now - burst * step;
    if (wait > 0) await this.#clock.sleep(wait, signal);
  }
}

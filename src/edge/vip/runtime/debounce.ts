import type { Clock, Timer } from "../../../base/host/clock.ts";

/** Combines changes into one: when none has come for a while, or the first has waited long enough. */
export class Debounce {
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #patienceMs: number;
  #ready = Promise.withResolvers<void>();
  #timer: Timer | undefined;
  #first: number | undefined;

  constructor(clock: Clock, times: { readonly quietMs: number; readonly patienceMs: number }) {
    this.#clock = clock;
    this.#quietMs = times.quietMs;
    this.#patienceMs = times.patienceMs;
  }

  /** Signals a change. */
  poke(): void {
    const now = this.#clock.monotonic();
    this.#first ??= now;
    const patience = Math.max(0, this.#first + this.#patienceMs - now);
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(Math.min(this.#quietMs, patience), () => {
      this.#ready.resolve();
    });
  }

  /** Resolves when the changes should be handled; rejects when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason as Error);
    signal.throwIfAborted();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#ready.promise, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
    this.#ready = Promise.withResolvers<void>();
    this.#first = undefined;
  }
}

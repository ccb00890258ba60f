import type { Clock } from "../../base/host/clock.ts";

/** A sleep that can be cut short; a wake-up while nobody sleeps is not lost. */
export class Wakeup {
  readonly #clock: Clock;
  #isCalled = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  call(): void {
    this.#isCalled = true;
    this.#wake?.();
  }

  /** Sleeps; rejects with the signal's reason when it is aborted. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isCalled) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = this.#clock.setTimer(ms, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      timer.cancel();
      this.#wake = undefined;
    }
    this.#isCalled = false;
    signal.throwIfAborted();
  }
}

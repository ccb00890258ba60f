import type { Clock, Timer } from "./clock.ts";

/** A wake-up for a loop, which sleeps until there is a reason to go on. */
export class Wakeup {
  readonly #clock: Clock;
  #reasons = new Set<string>();
  #waiting: (() => void) | undefined;
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(reason = "now"): void {
    this.#reasons.add(reason);
    this.#waiting?.();
  }

  /** Schedules a wake-up; replaces an earlier one that was scheduled for the same reason. */
  in(ms: number, reason: string): void {
    this.#timers.get(reason)?.cancel();
    const timer = this.#clock.setTimer(ms, () => {
      this.#timers.delete(reason);
      this.now(reason);
    });
    this.#timers.set(reason, timer);
  }

  every(ms: number, reason: string): void {
    const again = (): void => {
      this.now(reason);
      this.#timers.set(reason, this.#clock.setTimer(ms, again));
    };
    this.#timers.set(reason, this.#clock.setTimer(ms, again));
  }

  /** Resolves with all reasons since the last call; with none when aborted. */
  async wait(signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (this.#reasons.size === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      signal.addEventListener("abort", this.#waiting, { once: true });
      await promise;
      signal.removeEventListener("abort", this.#waiting);
      this.#waiting = undefined;
    }
    const reasons = this.#reasons;
    this.#reasons = new Set();
    return reasons;
  }

  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}

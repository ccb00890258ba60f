import type { Clock } from "../../../base/host/clock.ts";
import { defined } from "../../../base/json/defined.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Failure, StageView } from "../decide/view.ts";

const firstDelayMs = 250;
const usualLongestDelayMs = 30_000;

/**
 * A step in the life of a pod, such as making its sandbox, that is retried with a back-off until it succeeds.
 */
export class Stage implements StageView {
  readonly #clock: Clock;
  /** The reason that failures are reported with. */
  readonly reason: string;
  readonly #longestDelayMs: number;
  #state: StageView["state"] = "absent";
  #failure: Failure | undefined;

  constructor(
    clock: Clock,
    { reason, longestDelayMs = usualLongestDelayMs }: { reason: string; longestDelayMs?: number },
  ) {
    this.#clock = clock;
    this.reason = reason;
    this.#longestDelayMs = longestDelayMs;
  }

  get state(): StageView["state"] {
    return this.#state;
  }

  get view(): StageView {
    return {
      state: this.#state,
      ...defined({ failure: this.#failure }),
    };
  }

  /** Marks the stage as ready, since an earlier agent completed it. */
  adopt(): void {
    this.#state = "ready";
  }

  lose(): void {
    this.#state = "absent";
  }

  async unmake(work: () => Promise<void>): Promise<void> {
    this.#state = "working";
    try {
      await work();
      this.#state = "absent";
    } catch (error) {
      this.#state = "ready";
      throw error;
    }
  }

  /** Runs the work; returns the error if it fails. */
  async make(work: () => Promise<void>): Promise<unknown> {
    this.#state = "working";
    try {
      await work();
      this.#state = "ready";
      this.#failure = undefined;
      return undefined;
    } catch (error) {
      this.#state = "absent";
      const count = (this.#failure?.count ?? 0) + 1;
      const wait = Math.min(this.#longestDelayMs, firstDelayMs * 2 ** Math.min(10, count - 1));
      const retryAt = this.#clock.now() + wait;
      this.#failure = { reason: this.reason, message: messageOf(error), retryAt, count };
      return error;
    }
  }
}

import type { Clock } from "../../../base/host/clock.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Failure, StageView } from "../decide/view.ts";

const firstDelayMs = 250;
const longestDelayMs = 30_000;

/** Something that must be ready before containers start, made again and again until it is. */
export class Stage implements StageView {
  readonly #clock: Clock;
  /** What failures are called. */
  readonly reason: string;
  #state: StageView["state"] = "absent";
  #failure: Failure | undefined;

  constructor(clock: Clock, reason: string) {
    this.#clock = clock;
    this.reason = reason;
  }

  get state(): StageView["state"] {
    return this.#state;
  }

  get view(): StageView {
    return {
      state: this.#state,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
    };
  }

  /** Found as it was left. */
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

  /** The error when it did not come about. */
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
      const wait = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(10, count - 1));
      const retryAt = this.#clock.now() + wait;
      this.#failure = { reason: this.reason, message: messageOf(error), retryAt, count };
      return error;
    }
  }
}

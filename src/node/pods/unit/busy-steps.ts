// The steps of pods that keep processors busy: sandboxes, networks, starts and removals of containers. Ten
// at once on two processors would each take five times as long and all end late. So only a few run at
// once, and the pod that came first goes first: what was begun is finished before more is begun, and
// removals do not wait for pods that came later.

import { availableParallelism } from "node:os";
import type { Clock } from "../../../base/host/clock.ts";
import type { Registry } from "../../../base/program/metrics.ts";

export type BusyStep = "sandbox" | "container" | "removal";

export interface BusyStepOptions {
  readonly step: BusyStep;
  /** The time at which the pod came to this node; earlier pods go first. */
  readonly since: number;
  /** Ends the wait for a turn; a step that has begun has to observe the signal itself. */
  readonly signal?: AbortSignal;
}

export interface BusyStepsOptions {
  readonly clock: Clock;
  readonly metrics?: Registry | undefined;
  /** The number of steps that run at once; the number of processors when not given. */
  readonly limit?: number;
}

/**
 * The time after which a step gives up its place: it presumably waits for something else than a processor.
 */
const patienceMs = 1_000;

export class BusySteps {
  readonly #clock: Clock;
  readonly #waited: (step: BusyStep, ms: number) => void;
  readonly #waiting: Waiting[] = [];
  #free: number;

  constructor({ clock, metrics, limit = availableParallelism() }: BusyStepsOptions) {
    this.#clock = clock;
    this.#free = limit;
    const seconds = metrics?.histogram("tandem_agent_queue_seconds", {
      help: "How long a step of a pod waited until processors were free for it.",
      labels: ["step"],
    });
    this.#waited = (step, ms) => seconds?.with(step).observe(ms / 1000);
  }

  async run<T>(work: () => Promise<T>, options: BusyStepOptions): Promise<T> {
    const asked = this.#clock.monotonic();
    await this.#enter(options);
    this.#waited(options.step, this.#clock.monotonic() - asked);
    const leave = this.#place();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #enter({ since, signal }: BusyStepOptions): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { since, enter: resolve };
    const behind = this.#waiting.findIndex((other) => other.since > since);
    this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, one);
    const giveUp = (): void => {
      const index = this.#waiting.indexOf(one);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  /** Returns the function that frees the place; a timer frees it, too, and only the first call counts. */
  #place(): () => void {
    let isHeld = true;
    const leave = (): void => {
      if (!isHeld) return;
      isHeld = false;
      timer.cancel();
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.enter();
    };
    const timer = this.#clock.setTimer(patienceMs, leave);
    return leave;
  }
}

interface Waiting {
  readonly since: number;
  enter(): void;
}

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
  /** When the pod came. */
  readonly since: number;
  /** It waits no longer then; what has begun has to look after that itself. */
  readonly signal?: AbortSignal;
}

export interface BusyStepsOptions {
  readonly clock: Clock;
  readonly metrics?: Registry | undefined;
  /** How many run at once; as many as there are processors when not given. */
  readonly limit?: number;
}

/** What takes longer than this waits for something else than a processor, and keeps nobody from it. */
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

  /** Given back once, be it by who has it or because it takes too long. */
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

// Work that the server does itself whenever objects of some collections change: one round at a time, and one
// more for changes during a round.
import { aborted } from "./aborted.ts";
import type { Core } from "./core.ts";
import { toStatusError } from "./errors.ts";

export interface OwnWorkOptions {
  readonly collections: readonly string[];
  /** The message of the log when a round fails: "Cannot …". */
  readonly complaint: string;
  round(): Promise<void>;
}

const retryMs = 1_000;

export class OwnWork {
  readonly #core: Core;
  readonly #options: OwnWorkOptions;
  #working: Promise<void> | undefined;
  #isStale = false;

  constructor(core: Core, options: OwnWorkOptions) {
    this.#core = core;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const subscriber = { changed: () => this.#changed(), lost: () => this.#changed() };
    const followed = this.#options.collections.map((id) => this.#core.cache.collection(id));
    for (const { subscribers } of followed) subscribers.add(subscriber);
    // Failed rounds are retried by a timer, whether or not anything changes.
    const timer = setInterval(() => this.#isStale && this.#start(), retryMs);
    this.#changed();
    await aborted(signal);
    clearInterval(timer);
    for (const { subscribers } of followed) subscribers.delete(subscriber);
    await this.#working;
  }

  #changed(): void {
    this.#isStale = true;
    this.#start();
  }

  #start(): void {
    if (this.#working !== undefined || this.#core.stop.signal.aborted) return;
    this.#isStale = false;
    this.#working = this.#round().then((isDone) => {
      this.#working = undefined;
      if (isDone && this.#isStale) this.#start();
      return undefined;
    });
  }

  /** Returns whether the round succeeded; the timer starts another one if not. */
  async #round(): Promise<boolean> {
    try {
      await this.#options.round();
      return true;
    } catch (error) {
      this.#isStale = true;
      if (this.#core.stop.signal.aborted) return false;
      const { code } = toStatusError(error);
      this.#core.log.warn(this.#options.complaint, { code, error });
      return false;
    }
  }
}

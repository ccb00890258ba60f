// The one shape of a controller: changes become keys, keys wait in a queue, and each is reconciled from the
// caches' current state.

import { once } from "node:events";
import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import { describeError } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { BackOff } from "./back-off.ts";
import { isConflict } from "./errors.ts";
import type { EventRecorder } from "./events.ts";
import type { KeySource } from "./informer/informer.ts";
import type { ApiObject } from "./objects.ts";
import { WorkQueue } from "./work-queue.ts";

export interface ControllerOptions {
  readonly name: string;
  /** The sources of keys: informers, or the results of `mapped`. */
  readonly sources: readonly KeySource[];
  /** Reconciles what a key stands for. An error is logged, and the key retried. */
  reconcile(key: string, signal: AbortSignal): Promise<Again | void>;
  /** The number of keys that may be reconciled at once; 1 if not given. */
  readonly concurrency?: number;
  readonly backOff?: BackOff;
  /** The recorder of failures, on the object that the key stands for. */
  readonly events?: {
    readonly recorder: EventRecorder;
    objectOf(key: string): ApiObject | undefined;
  };
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Registry | undefined;
}

export interface Again {
  /** The time after which the key is reconciled again, whether or not anything changes. */
  readonly againInMs: number;
}

export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;
  readonly #log: Log;

  constructor(options: ControllerOptions) {
    const { name, clock, random, metrics, backOff } = options;
    this.name = name;
    this.#options = options;
    this.#log = options.log.child({ controller: name });
    this.#queue = new WorkQueue({ name, clock, random, metrics, backOff });
  }

  /** Adds a key for changes that no informer reports, such as those in the kernel. */
  enqueue(key: string): void {
    this.#queue.add(key);
  }

  enqueueAfter(key: string, ms: number): void {
    this.#queue.addAfter(key, ms);
  }

  /** Resolves when no key waits or is being reconciled. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Runs the controller once all sources have synced, since half a state must not be acted upon. */
  async run(signal: AbortSignal): Promise<void> {
    const { sources, concurrency } = this.#options;
    const leave = sources.map((source) => source.subscribe((key) => this.#queue.add(key)));
    try {
      if (!(await haveSynced(sources, signal))) return;
      await this.#queue.run((key, stop) => this.#reconcile(key, stop), {
        concurrency,
        signal,
        onFailure: (key, error, retryInMs) => this.#report(key, error, retryInMs),
      });
    } finally {
      for (const each of leave) each();
    }
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const again = await this.#options.reconcile(key, signal);
    if (again !== undefined) this.#queue.addAfter(key, again.againInMs);
  }

  #report(key: string, error: unknown, retryInMs: number): void {
    const fields = { key, error, retryInMs: Math.round(retryInMs) };
    // Another writer was faster: its change arrives as an event, and is reconciled then.
    if (isConflict(error)) {
      this.#log.debug("Cannot reconcile yet", fields);
      return;
    }
    this.#log.warn("Cannot reconcile", fields);
    const { events } = this.#options;
    const object = events?.objectOf(key);
    if (object === undefined) return;
    const message = describeError(error);
    events?.recorder.record(object, { type: "Warning", reason: "ReconcileFailed", message });
  }
}

async function haveSynced(sources: readonly KeySource[], signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const all = Promise.all(sources.map(({ synced }) => synced));
  const stop = new AbortController();
  const aborted = once(signal, "abort", { signal: stop.signal }).catch(() => undefined);
  await Promise.race([all, aborted]);
  stop.abort();
  return !signal.aborted;
}

// A work queue of keys: each is at most once in the queue and once in work.

import { once } from "node:events";
import type { Clock, Timer } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { type BackOff, delayAfter } from "./back-off.ts";
import { type ClientMetrics, clientMetrics } from "./metrics.ts";

export interface WorkQueueOptions {
  /** The queue's name, for metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Registry | undefined;
  /** The back-off of keys that failed; from 50 ms to 5 minutes if not given. */
  readonly backOff?: BackOff | undefined;
}

export interface WorkOptions {
  /** The number of keys that may be in work at once; 1 if not given. */
  readonly concurrency?: number | undefined;
  /** Called for each failure, after which the key is retried. */
  readonly onFailure?: (key: string, error: unknown, retryInMs: number) => void;
  /** The signal whose abort keeps further work from being started. */
  readonly signal: AbortSignal;
}

export type Work = (key: string, signal: AbortSignal) => Promise<void>;

interface Failing {
  failures: number;
  timer: Timer | undefined;
}

interface Delayed {
  readonly due: number;
  readonly timer: Timer;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #backOff: BackOff;
  readonly #metrics: QueueMetrics | undefined;
  /** The keys that wait, each with the time it was added, oldest first. */
  readonly #ready = new Map<string, number>();
  readonly #working = new Set<string>();
  /** The keys that were added while they were in work. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failing = new Map<string, Failing>();
  #begin: () => void = () => undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#backOff = options.backOff ?? { initialMs: 50, maximumMs: 300_000 };
    this.#metrics = options.metrics && metricsOf(clientMetrics(options.metrics), options.name);
  }

  /** The number of keys that wait for their turn. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Adds a key. One that waits already is not added again; one in work is worked on again afterwards. */
  add(key: string): void {
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#ready.has(key)) return;
    this.#ready.set(key, this.#options.clock.monotonic());
    this.#metrics?.adds.increment();
    this.#metrics?.depth.set(this.#ready.size);
    this.#begin();
  }

  /** Adds a key after a delay; of several delays the earliest counts. */
  addAfter(key: string, ms: number): void {
    const { clock } = this.#options;
    const due = clock.monotonic() + ms;
    const delayed = this.#delayed.get(key);
    if (delayed !== undefined && delayed.due <= due) return;
    delayed?.timer.cancel();
    const timer = clock.setTimer(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, timer });
  }

  /** Resolves when no key waits for its turn or is in work; delayed keys do not count. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /** Works on keys; resolves when the signal has aborted and the work under way is done. */
  async run(work: Work, options: WorkOptions): Promise<void> {
    const { concurrency = 1, signal } = options;
    const running = new Set<Promise<void>>();
    this.#begin = () => {
      for (const key of this.#ready.keys()) {
        if (signal.aborted || this.#working.size >= concurrency) return;
        const task = this.#carryOut(key, work, options);
        running.add(task);
        void task.finally(() => running.delete(task));
      }
    };
    this.#begin();
    if (!signal.aborted) await once(signal, "abort");
    await Promise.all(running);
    this.#stop();
  }

  async #carryOut(key: string, work: Work, { signal, onFailure }: WorkOptions): Promise<void> {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    const added = this.#ready.get(key) ?? begun;
    this.#ready.delete(key);
    this.#working.add(key);
    this.#metrics?.depth.set(this.#ready.size);
    this.#metrics?.wait.observe((begun - added) / 1000);
    try {
      await work(key, signal);
      this.#failing.get(key)?.timer?.cancel();
      this.#failing.delete(key);
    } catch (error) {
      if (!signal.aborted) {
        const retryInMs = this.#retryLater(key);
        onFailure?.(key, error, retryInMs);
      }
    }
    this.#metrics?.work.observe((clock.monotonic() - begun) / 1000);
    this.#working.delete(key);
    if (this.#again.delete(key)) this.add(key);
    else this.#begin();
    if (this.#isIdle()) this.#idle?.resolve();
    if (this.#isIdle()) this.#idle = undefined;
  }

  /** Schedules the retry of a key, and returns its delay. */
  #retryLater(key: string): number {
    const { clock, random } = this.#options;
    const failing = this.#failing.get(key) ?? { failures: 0, timer: undefined };
    this.#failing.set(key, failing);
    failing.failures += 1;
    failing.timer?.cancel();
    const wait = delayAfter(failing.failures, this.#backOff, random);
    failing.timer = clock.setTimer(wait, () => this.add(key));
    this.#metrics?.retries.increment();
    return wait;
  }

  #isIdle(): boolean {
    return this.#ready.size === 0 && this.#working.size === 0;
  }

  #stop(): void {
    this.#begin = () => undefined;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    for (const { timer } of this.#failing.values()) timer?.cancel();
    this.#delayed.clear();
    this.#failing.clear();
  }
}

type QueueMetrics = ReturnType<typeof metricsOf>;

function metricsOf(metrics: ClientMetrics, name: string) {
  return {
    depth: metrics.queueDepth.with(name),
    adds: metrics.queueAdds.with(name),
    retries: metrics.queueRetries.with(name),
    wait: metrics.queueWait.with(name),
    work: metrics.queueWork.with(name),
  };
}

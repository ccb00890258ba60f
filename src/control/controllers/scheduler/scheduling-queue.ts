// The scheduling queue: pods of higher priority first, otherwise in order of arrival. A pod that fits no node
// waits until a change could help it, and at least for its back-off.

import type { BackOff } from "../../../api/client/back-off.ts";
import { delayAfter } from "../../../api/client/back-off.ts";
import type { Clock, Timer } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Change } from "./filters/filter.ts";

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a pod may be ready to be taken. */
  onReady(): void;
}

const backOff: BackOff = { initialMs: 1_000, maximumMs: 10_000 };
/** The longest wait, in case a change that would help was overlooked. */
const longestWaitMs = 300_000;

interface Entry {
  readonly priority: number;
  attempts: number;
  /** The earliest next attempt, on the monotonic clock. */
  notBefore: number;
  /** The changes that the entry waits for; `undefined` if it only waits for time to pass. */
  liftedBy: ReadonlySet<Change> | undefined;
  timer: Timer | undefined;
}

export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #entries = new Map<string, Entry>();
  /** The ready pods by priority, each in order of arrival. */
  readonly #ready = new Map<number, Set<string>>();

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
  }

  /** The number of pods that can be taken now. */
  get ready(): number {
    let count = 0;
    for (const keys of this.#ready.values()) count += keys.size;
    return count;
  }

  /** Adds a new or changed pod, which starts without back-off. */
  add(key: string, priority: number): void {
    this.remove(key);
    const fresh = { attempts: 0, notBefore: 0, liftedBy: undefined, timer: undefined };
    this.#entries.set(key, { priority, ...fresh });
    this.#makeReady(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.timer?.cancel();
    this.#entries.delete(key);
    this.#unready(key, entry);
  }

  /** Returns the next pod to try; it stays known until it is removed. */
  take(): string | undefined {
    if (this.#ready.size === 0) return undefined;
    const keys = this.#ready.get(Math.max(...this.#ready.keys()));
    const [key] = keys ?? [];
    const entry = key === undefined ? undefined : this.#entries.get(key);
    if (key === undefined || entry === undefined) return undefined;
    this.#unready(key, entry);
    entry.attempts += 1;
    return key;
  }

  /** Lets an unschedulable pod wait for one of these changes. */
  wait(key: string, liftedBy: ReadonlySet<Change>): void {
    this.#delay(key, liftedBy, longestWaitMs);
  }

  /** Retries a pod after an error that may be temporary. */
  retry(key: string): void {
    this.#delay(key, undefined, 0);
  }

  /** Retries the pods that a change could help. */
  wake(change: Change): void {
    const { clock } = this.#options;
    for (const [key, entry] of this.#entries) {
      if (entry.liftedBy?.has(change) !== true) continue;
      entry.liftedBy = undefined;
      this.#readyAfter(key, entry, entry.notBefore - clock.monotonic());
    }
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.remove(key);
  }

  #delay(key: string, liftedBy: Entry["liftedBy"], atLeastMs: number): void {
    const { clock, random } = this.#options;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const wait = delayAfter(entry.attempts, backOff, random);
    entry.notBefore = clock.monotonic() + wait;
    entry.liftedBy = liftedBy;
    this.#readyAfter(key, entry, Math.max(wait, atLeastMs));
  }

  #readyAfter(key: string, entry: Entry, ms: number): void {
    entry.timer?.cancel();
    entry.timer = undefined;
    if (ms <= 0) this.#makeReady(key);
    else entry.timer = this.#options.clock.setTimer(ms, () => this.#makeReady(key));
  }

  #makeReady(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.liftedBy = undefined;
    const keys = this.#ready.get(entry.priority) ?? new Set<string>();
    this.#ready.set(entry.priority, keys.add(key));
    this.#options.onReady();
  }

  #unready(key: string, { priority }: Entry): void {
    const keys = this.#ready.get(priority);
    keys?.delete(key);
    if (keys?.size === 0) this.#ready.delete(priority);
  }
}

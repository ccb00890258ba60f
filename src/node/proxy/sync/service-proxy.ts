// The sync loop: brings every change of the objects into the kernel, and keeps it there.

import type { Clock } from "../../../base/host/clock.ts";
import { Wakeup } from "../../../base/host/wakeup.ts";
import { defined } from "../../../base/json/defined.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { DesiredState, StateChange } from "../plan/desired-state.ts";
import type { FamilySync } from "./family-sync.ts";
import type { Revisions } from "./revisions.ts";

export interface FamilyStatus {
  readonly family: Family;
  /** The revisions of objects that are in the kernel; undefined before the first sync. */
  readonly synced: Revisions | undefined;
  readonly frontends: number;
  readonly rules: number;
  /** The error because of which the kernel is not up to date. */
  readonly error?: unknown;
}

/** A listener for changes of services, besides the kernel. */
export interface ProxyListener {
  changed(change: StateChange): void;
}

interface Options {
  readonly state: DesiredState;
  readonly syncs?: readonly FamilySync[];
  readonly listeners?: readonly ProxyListener[];
  readonly clock: Clock;
  readonly log: Log;
  /** Called after every attempt to bring the kernel up to date. */
  readonly onStatus?: (families: readonly FamilyStatus[]) => void;
  /** Called once, in a quiet moment after the first sync. */
  readonly afterStart?: () => void;
  /** The interval of checks that nobody has removed the rules. */
  readonly probeMs?: number;
  /** The interval at which all rules are replaced, in case others have changed them. */
  readonly replaceMs?: number;
}

/** The time from the last change until unused objects are removed. */
const sweepMs = 1000;
/** The time until another attempt to remove objects that were still in use, if only by connections. */
const sweepAgainMs = 10_000;
const retryMs = { first: 200, most: 30_000 } as const;

export class ServiceProxy implements Part {
  readonly name = "proxy";
  readonly #options: Options;
  readonly #wakeup: Wakeup;
  #syncs: readonly FamilySync[];
  #revisions: Revisions = {};
  #failures = 0;
  #isStarting = true;

  constructor(options: Options) {
    this.#options = options;
    this.#syncs = options.syncs ?? [];
    this.#wakeup = new Wakeup(options.clock);
  }

  get status(): readonly FamilyStatus[] {
    const { state } = this.#options;
    return this.#syncs.map(({ family, synced, rules, error }) => ({
      family,
      synced,
      frontends: state.tables[family].size,
      rules,
      ...defined({ error }),
    }));
  }

  get isHealthy(): boolean {
    return this.#syncs.length > 0 && this.#syncs.every(({ isHealthy }) => isHealthy);
  }

  /** Replaces the syncs after a change of the node. */
  use(syncs: readonly FamilySync[]): void {
    this.#syncs = syncs;
    this.#wakeup.now();
  }

  /** Called when the state has changed; the revisions are those of its objects now. */
  notify(revisions: Revisions): void {
    this.#revisions = { ...this.#revisions, ...revisions };
    this.#wakeup.now();
  }

  /** Runs the loop, from the state as it is: it should be complete. */
  async run(signal: AbortSignal): Promise<void> {
    const { probeMs = 5000, replaceMs = 600_000 } = this.#options;
    this.#wakeup.now();
    this.#wakeup.every(probeMs, "probe");
    this.#wakeup.every(replaceMs, "replace");
    try {
      while (!signal.aborted) {
        const reasons = await this.#wakeup.wait(signal);
        if (reasons.has("replace")) for (const sync of this.#syncs) sync.distrust();
        if (reasons.has("probe")) await this.#each((sync) => sync.probe({ signal }), signal);
        if (reasons.has("sweep")) await this.#sweep(signal);
        await this.#sync(signal);
      }
    } finally {
      this.#wakeup.stop();
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { state, listeners = [], onStatus } = this.#options;
    const revisions = this.#revisions;
    const change = state.takeChange();
    const isDone = await this.#each(
      (sync) => sync.sync(change.deltas[sync.family], { revisions, signal }),
      signal,
    );
    for (const listener of listeners) listener.changed(change);
    onStatus?.(this.status);
    if (!isDone) return this.#retry();
    this.#failures = 0;
    const isChanged = families.some((family) => change.deltas[family].size > 0);
    if (isChanged) this.#wakeup.in(sweepMs, "sweep");
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    let isDone = true;
    await this.#each(async (sync) => {
      if (!(await sync.sweep({ signal }))) isDone = false;
    }, signal);
    if (!isDone) this.#wakeup.in(sweepAgainMs, "sweep");
    if (this.#isStarting) this.#options.afterStart?.();
    this.#isStarting = false;
  }

  /**
   * Runs work for every family, and tells whether all succeeded; one that fails does not hold up the
   * other.
   */
  async #each(work: (sync: FamilySync) => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const results = await Promise.all(
      this.#syncs.map(async (sync) => {
        try {
          await work(sync);
          return true;
        } catch (error) {
          if (signal.aborted) return false;
          this.#options.log.error("Cannot bring the rules of services up to date", {
            family: sync.family,
            error,
          });
          return false;
        }
      }),
    );
    return results.every(Boolean);
  }

  #retry(): void {
    const delay = Math.min(retryMs.first * 2 ** this.#failures, retryMs.most);
    this.#failures++;
    this.#wakeup.in(delay, "retry");
  }
}

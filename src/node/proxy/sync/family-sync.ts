import type { Clock } from "../../../base/host/clock.ts";
import type { CallOptions } from "../../../base/host/command.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Log } from "../../../base/program/log.ts";
import type { FlowCleaner } from "../flows/clean-flows.ts";
import type { Frontend } from "../plan/frontend.ts";
import type { Delta, FrontendTable } from "../plan/frontend-table.ts";
import type { Proxier } from "../proxier.ts";
import type { ProxyMetrics } from "./metrics.ts";
import type { Revisions } from "./revisions.ts";

interface Options {
  readonly proxier: Proxier;
  readonly cleaner: FlowCleaner;
  readonly table: FrontendTable;
  readonly metrics: ProxyMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

interface SyncOptions extends CallOptions {
  readonly revisions: Revisions;
}

const forgivenMs = 60_000;

/** Keeps the kernel's rules of one family in line with the frontend table. */
export class FamilySync {
  readonly #proxier: Proxier;
  readonly #cleaner: FlowCleaner;
  readonly #table: FrontendTable;
  readonly #metrics: ProxyMetrics;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Whether the kernel still has the rules of the last sync. */
  #isKnown = false;
  #error: unknown;
  #failingSince: number | undefined;
  #synced: Revisions | undefined;

  constructor({ proxier, cleaner, table, metrics, clock, log }: Options) {
    this.#proxier = proxier;
    this.#cleaner = cleaner;
    this.#table = table;
    this.#metrics = metrics;
    this.#clock = clock;
    this.#log = log.child({ family: proxier.family });
  }

  get family(): Family {
    return this.#proxier.family;
  }

  /** The error of the last sync, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  /** The revisions of objects that are in the kernel; undefined before the first sync. */
  get synced(): Revisions | undefined {
    return this.#synced;
  }

  get rules(): number {
    return this.#proxier.size;
  }

  /** Whether syncs work. A failure is tolerated for as long as it usually takes to recover. */
  get isHealthy(): boolean {
    if (this.#failingSince === undefined) return this.#synced !== undefined;
    return this.#synced !== undefined && this.#clock.now() - this.#failingSince < forgivenMs;
  }

  /** Makes the next sync replace all rules. */
  distrust(): void {
    this.#isKnown = false;
  }

  /**
   * Brings a delta, which leads to these revisions, into the kernel. After a failure the next sync
   * replaces all rules.
   */
  async sync(delta: Delta, { revisions, signal }: SyncOptions): Promise<void> {
    try {
      if (!this.#isKnown) await this.#replace({ signal });
      else if (delta.size > 0) await this.#change(delta, { signal });
    } catch (error) {
      this.#isKnown = false;
      if (signal?.aborted !== true) this.#fail(error);
      throw error;
    }
    this.#error = undefined;
    this.#failingSince = undefined;
    this.#synced = revisions;
    this.#count(revisions);
  }

  /** Checks whether the rules are still there. */
  async probe(options?: CallOptions): Promise<void> {
    if (!this.#isKnown || (await this.#proxier.isIntact(options))) return;
    this.#log.warn("Somebody has removed the rules of services; putting them back");
    this.#metrics.repairs.with(this.family).increment();
    this.#isKnown = false;
  }

  /** Removes unused objects; false when some are still in use. */
  async sweep(options?: CallOptions): Promise<boolean> {
    if (!this.#isKnown) return true;
    try {
      return await this.#proxier.sweep(options);
    } catch (error) {
      this.#log.warn("Cannot sweep; replacing all rules of services", { error });
      this.#isKnown = false;
      return true;
    }
  }

  #fail(error: unknown): void {
    this.#error = error;
    this.#failingSince ??= this.#clock.now();
    this.#metrics.syncErrors.with(this.family).increment();
    this.#metrics.isFailing.with(this.family).set(1);
  }

  #count(revisions: Revisions): void {
    const { frontends, rules, isFailing, lastSync, syncedRevision } = this.#metrics;
    frontends.with(this.family).set(this.#table.size);
    rules.with(this.family).set(this.rules);
    isFailing.with(this.family).set(0);
    lastSync.with(this.family).set(this.#clock.now() / 1000);
    for (const [resource, version] of Object.entries(revisions)) {
      syncedRevision.with(this.family, resource).set(Number(version));
    }
  }

  async #change(delta: Delta, options: CallOptions): Promise<void> {
    try {
      await this.#timed("change", () => this.#proxier.apply(delta, options));
    } catch (error) {
      options.signal?.throwIfAborted();
      this.#log.warn("Cannot change rules; replacing all of them", { error });
      return this.#replace(options);
    }
    const places = new Map([...delta].map(([key, { after }]) => [key, after]));
    await this.#clean(places, options);
  }

  async #replace(options: CallOptions): Promise<void> {
    const places = new Map(this.#table.all());
    await this.#timed("replacement", () => this.#proxier.replace([...places.values()], options));
    this.#isKnown = true;
    await this.#clean(places, options);
  }

  async #clean(
    places: ReadonlyMap<string, Frontend | undefined>,
    options: CallOptions,
  ): Promise<void> {
    const count = await this.#cleaner.clean(places, options);
    if (count > 0) this.#metrics.staleFlows.with(this.family).increment(count);
  }

  async #timed(kind: "change" | "replacement", work: () => Promise<void>): Promise<void> {
    const started = this.#clock.monotonic();
    await work();
    const seconds = (this.#clock.monotonic() - started) / 1000;
    this.#metrics.syncSeconds.with(this.family, kind).observe(seconds);
  }
}

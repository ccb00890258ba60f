// Reconciles the kernel's tables with the policy state, repairs them, and notifies those who wait for a
// change.

import type { Clock } from "../../../base/host/clock.ts";
import type { CallOptions } from "../../../base/host/command.ts";
import { Wakeup } from "../../../base/host/wakeup.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { PolicyWriter } from "../nftables/writer.ts";
import type { ElementChange } from "../plan/element-book.ts";
import type { PolicyState } from "../plan/policy-state.ts";
import type { DenialCounts } from "./denials.ts";
import type { FlowEnder } from "./end-flows.ts";
import type { PolicyMetrics } from "./metrics.ts";

export interface FamilyParts {
  readonly writer: PolicyWriter;
  readonly ender: FlowEnder;
}

interface Options {
  readonly state: PolicyState;
  readonly families: readonly FamilyParts[];
  readonly denials: DenialCounts;
  readonly metrics: PolicyMetrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Keeps the machine's other settings as policies need them; returns whether they had been changed. */
  readonly keepMachine?: (options: CallOptions) => Promise<boolean>;
  /** The interval at which the rules are checked for changes by others. */
  readonly probeMs?: number;
  /** The interval at which all tables are replaced, whatever others may have changed in them. */
  readonly replaceMs?: number;
}

/** The delay after a change until unused elements are removed. */
const sweepMs = 1000;
/** The time over which changes are batched before connections are checked. */
const flowsMs = 50;
const countMs = 5000;
/** The work that is done beside changes, the most urgent first. */
const chores = ["probe", "flows", "count"] as const;
type Chore = (typeof chores)[number];
const retryMs = { first: 200, most: 30_000 } as const;

export class PolicyKeeper implements Part {
  readonly name = "policies";
  readonly #options: Options;
  readonly #wakeup: Wakeup;
  readonly #known = new Set<FamilyParts>();
  readonly #due = new Set<Chore>();
  #chores: Promise<void> | undefined;
  #waiting: PromiseWithResolvers<void> = Promise.withResolvers();
  #failures = 0;
  #error: unknown;
  #isDone = false;

  constructor(options: Options) {
    this.#options = options;
    this.#wakeup = new Wakeup(options.clock);
    this.#waiting.promise.catch(() => undefined);
  }

  /** The reason why the kernel is not up to date. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether the whole state has been written to the kernel once. */
  get isReady(): boolean {
    return this.#isDone;
  }

  /** Wakes the keeper, since the state has changed. */
  notify(): void {
    this.#wakeup.now();
  }

  /** Checks the rules at once, since somebody may have changed them. */
  suspect(): void {
    this.#wakeup.now("probe");
  }

  /** Sets the prefixes in which traffic of unknown addresses is dropped. */
  hold(podPrefixes: readonly Prefix[]): void {
    for (const { writer } of this.#options.families) writer.hold(podPrefixes);
    this.#known.clear();
    this.notify();
  }

  /** Resolves when the present state is in the kernel. */
  async inKernel(): Promise<void> {
    const { promise } = this.#waiting;
    this.notify();
    await promise;
  }

  /** Runs until the signal aborts; the state should be complete at the start. */
  async run(signal: AbortSignal): Promise<void> {
    const { probeMs = 2000, replaceMs = 600_000 } = this.#options;
    this.#wakeup.now();
    this.#wakeup.every(probeMs, "probe");
    this.#wakeup.every(replaceMs, "replace");
    this.#wakeup.every(countMs, "count");
    try {
      while (!signal.aborted) {
        const reasons = await this.#wakeup.wait(signal);
        if (signal.aborted) break;
        if (reasons.has("replace")) this.#known.clear();
        if (reasons.has("sweep")) this.#options.state.sweep();
        await this.#sync({ signal });
        for (const chore of chores) if (reasons.has(chore)) this.#due.add(chore);
        this.#chores ??= this.#doChores({ signal }).finally(() => (this.#chores = undefined));
      }
    } finally {
      this.#wakeup.stop();
      await this.#chores;
      this.#waiting.reject(new Error("Cannot wait for policies: they are not kept any more"));
    }
  }

  /** Does what is due beside changes, which do not wait for it: chores start processes and read whole tables. */
  async #doChores(options: { signal: AbortSignal }): Promise<void> {
    const works = {
      probe: () => this.#probe(options),
      flows: () => this.#each((one) => this.#endFlows(one, options), options.signal),
      count: () => this.#each((one) => this.#count(one, options), options.signal),
    } as const;
    for (let chore = this.#next(); chore !== undefined; chore = this.#next()) {
      await works[chore]();
      if (options.signal.aborted) return;
    }
  }

  #next(): Chore | undefined {
    const next = chores.find((chore) => this.#due.has(chore));
    if (next !== undefined) this.#due.delete(next);
    return next;
  }

  async #sync(options: { signal: AbortSignal }): Promise<void> {
    const { state, metrics } = this.#options;
    const waiting = this.#waiting;
    this.#waiting = Promise.withResolvers();
    this.#waiting.promise.catch(() => undefined);
    const { elements } = state.takeChange();
    metrics.policies.set(state.size.policies);
    let mayDenyMore = Object.values(elements).some(({ length }) => length > 0);
    const isDone = await this.#each(async (one) => {
      const changes = elements[one.writer.layout.family];
      // While a table was away, connections may have begun that it denies.
      if (await this.#bring(one, changes, options)) mayDenyMore = true;
    }, options.signal);
    if (!isDone) {
      void this.#waiting.promise.then(waiting.resolve, waiting.reject);
      return this.#retry();
    }
    this.#failures = 0;
    this.#error = undefined;
    this.#isDone = true;
    waiting.resolve();
    if (mayDenyMore) {
      this.#wakeup.in(flowsMs, "flows");
      if (state.hasIdle) this.#wakeup.in(sweepMs, "sweep");
    }
  }

  /** Returns whether the whole table was written. */
  async #bring(
    one: FamilyParts,
    changes: readonly ElementChange[],
    options: { signal: AbortSignal },
  ): Promise<boolean> {
    const { state, metrics } = this.#options;
    const { family } = one.writer.layout;
    const plan = state.plans[family];
    if (this.#known.has(one)) {
      if (changes.length === 0) return false;
      try {
        await this.#timed(family, "change", () => one.writer.apply(changes, options));
      } catch (error) {
        options.signal.throwIfAborted();
        this.#options.log.warn("Cannot change policies; replacing all", { family, error });
        this.#known.delete(one);
      }
    }
    const isReplaced = !this.#known.has(one);
    if (isReplaced) {
      const { layout } = one.writer;
      await this.#timed(family, "replacement", () => one.writer.replace(plan.book.all(), options));
      one.ender.forget();
      // The layout may have been changed meanwhile.
      if (one.writer.layout === layout) this.#known.add(one);
    }
    metrics.subjects.with(family).set(plan.subjects);
    metrics.elements.with(family).set(plan.book.size);
    metrics.isFailing.with(family).set(0);
    return isReplaced;
  }

  async #probe(options: { signal: AbortSignal }): Promise<void> {
    const { log, metrics } = this.#options;
    await this.#each(async (one) => {
      if (!this.#known.has(one) || (await one.writer.isIntact(options))) return;
      const { family } = one.writer.layout;
      log.warn("Somebody has changed the rules of policies; putting them back", { family });
      metrics.repairs.with(family).increment();
      this.#known.delete(one);
      this.notify();
    }, options.signal);
    await this.#keepMachine(options);
  }

  async #keepMachine(options: { signal: AbortSignal }): Promise<void> {
    const { log, keepMachine } = this.#options;
    try {
      const wasChanged = await keepMachine?.(options);
      if (wasChanged) log.warn("Somebody has hidden bridged packets from policies; showing them");
    } catch (error) {
      if (options.signal.aborted) return;
      log.error("Cannot show bridged packets to policies", { error });
    }
  }

  async #endFlows({ writer, ender }: FamilyParts, options: CallOptions): Promise<void> {
    const { family } = writer.layout;
    const count = await ender.end(options);
    if (count > 0) this.#options.metrics.endedFlows.with(family).increment(count);
  }

  #count({ writer }: FamilyParts, options: CallOptions): Promise<void> {
    return this.#options.denials.read(writer.layout.family, options);
  }

  /**
   * Runs the work for every family; returns whether all succeeded. One that fails does not hold up the other.
   */
  async #each(work: (one: FamilyParts) => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { families, log, metrics } = this.#options;
    const results = await Promise.all(
      families.map(async (one) => {
        try {
          await work(one);
          return true;
        } catch (error) {
          if (signal.aborted) return false;
          const { family } = one.writer.layout;
          log.error("Cannot bring policies up to date", { family, error });
          metrics.syncErrors.with(family).increment();
          metrics.isFailing.with(family).set(1);
          this.#error = error;
          return false;
        }
      }),
    );
    return results.every(Boolean);
  }

  async #timed(family: string, kind: string, work: () => Promise<void>): Promise<void> {
    const { clock, metrics } = this.#options;
    const started = clock.monotonic();
    await work();
    metrics.syncSeconds.with(family, kind).observe((clock.monotonic() - started) / 1000);
  }

  #retry(): void {
    const delay = Math.min(retryMs.first * 2 ** this.#failures, retryMs.most);
    this.#failures++;
    this.#wakeup.in(delay, "retry");
  }
}

import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Ip } from "../../../base/host/ip.ts";
import type { Nft } from "../../../base/host/nft.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import { runAll } from "../../../base/program/run-all.ts";
import { addressOf, byAge, type VipNode, vipUses } from "../cluster.ts";
import { type RenderedNode, renderNode } from "../render/node.ts";
import type { VipSettings } from "../settings.ts";
import { NodeConfiguration } from "./configuration.ts";
import { Debounce } from "./debounce.ts";
import { Holdings } from "./holdings.ts";
import { type KnownVips, KnownVipsFile } from "./known-vips.ts";
import { type VipMetrics, vipMetrics } from "./metrics.ts";
import { openPrograms, type ProgramName } from "./programs.ts";
import { SelfCheck } from "./self-check.ts";
import type { NodeReport, VipSource, VipView } from "./source.ts";

/** The interfaces to the machine, inside the network namespace of the node. */
export interface VipMachine {
  readonly commands: Commands;
  readonly files: Files;
  readonly ip: Ip;
  readonly nft: Nft;
  readonly clock: Clock;
}

export interface VipRuntimeOptions {
  readonly node: string;
  readonly source: VipSource;
  readonly machine: VipMachine;
  readonly settings: VipSettings;
  /** The directory of the configurations, of this node alone. */
  readonly directory: string;
  readonly times?: Partial<RuntimeTimes>;
  readonly log: Log;
  readonly metrics: Registry;
}

export interface RuntimeTimes {
  /** The debounce interval: changes are handled when none has come for so long… */
  readonly quietMs: number;
  /** …or when the first of them has waited for so long. */
  readonly patienceMs: number;
  /**
   * The time a new node waits for its peers to learn of it; before, they would not tell it that they hold the
   * VIPs.
   */
  readonly settleMs: number;
  /** The time without an answer from the API after which the last good configuration is used. */
  readonly restoreMs: number;
  readonly retryMs: number;
  /** The time for which a node whose Node object is gone keeps its part: it may be registered anew. */
  readonly absenceMs: number;
  /** The interval at which the node checks whether it can serve, for its report. */
  readonly checkMs: number;
}

const defaultTimes: RuntimeTimes = {
  quietMs: 500,
  patienceMs: 3_000,
  settleMs: 5_000,
  restoreMs: 15_000,
  retryMs: 5_000,
  absenceMs: 60_000,
  checkMs: 5_000,
};

/** The time in which the last report is tried to be published. */
const goodbyeMs = 2_000;

/** Runs one node's part in the VIPs: renders, validates, reloads, and reports. */
export class VipRuntime {
  readonly name = "vip";
  readonly #options: VipRuntimeOptions;
  readonly #times: RuntimeTimes;
  readonly #metrics: VipMetrics;
  readonly #debounce: Debounce;
  readonly #holdings: Holdings;
  readonly #selfCheck: SelfCheck;
  readonly #configuration: NodeConfiguration;
  readonly #knownFile: KnownVipsFile;
  #known: KnownVips | undefined;
  #problem: string | undefined;
  /** The time when this node joined the cluster. */
  #since: string | undefined;
  /** The monotonic time since which this node has not been among the nodes. */
  #absentSince: number | undefined;
  #firstSeen: number | undefined;
  #rendered: RenderedNode = { plans: [], checks: new Map() };
  #published = "";

  constructor(options: VipRuntimeOptions) {
    const { machine, directory, log } = options;
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#metrics = vipMetrics(options.metrics);
    this.#knownFile = new KnownVipsFile(directory, machine.files);
    this.#debounce = new Debounce(machine.clock, this.#times);
    this.#holdings = new Holdings({ ...machine, log, changed: () => this.#heldChanged() });
    const onCrash = (program: ProgramName) => this.#crashed(program);
    const programs = openPrograms({ ...machine, directory, log, onCrash });
    const metrics = this.#metrics;
    const releaseLeftovers = () => this.#releaseLeftovers();
    this.#configuration = new NodeConfiguration({
      ...machine,
      directory,
      programs,
      metrics,
      releaseLeftovers,
    });
    this.#selfCheck = new SelfCheck({
      ...machine,
      everyMs: this.#times.checkMs,
      scripts: () => new Map([...this.#rendered.checks].map(([use, { path }]) => [use, path])),
      changed: () => this.#debounce.poke(),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.source.subscribe(() => this.#debounce.poke());
    this.#debounce.poke();
    try {
      await runAll(
        [this.#holdings, this.#selfCheck, { name: "following", run: (stop) => this.#follow(stop) }],
        signal,
      );
    } finally {
      unsubscribe();
      await this.#configuration.stop();
      await this.#sayGoodbye();
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { log, source, machine } = this.#options;
    const begun = machine.clock.monotonic();
    const stored = await this.#knownFile.read();
    if (stored !== undefined) this.#known = { cluster: stored, isInForce: false };
    while (!signal.aborted) {
      await this.#debounce.next(signal);
      const view = await this.#read(source, signal);
      try {
        if (view !== undefined) await this.#bringUpToDate(view, signal);
        else if (machine.clock.monotonic() - begun >= this.#times.restoreMs) await this.#restore();
      } catch (error) {
        signal.throwIfAborted();
        const isNews = this.#problem !== messageOf(error);
        if (isNews) log.error("Cannot bring the VIPs up to date", { error });
        this.#problem = messageOf(error);
        await this.#publishOrLog(signal);
        this.#pokeAfter(this.#times.retryMs);
      }
    }
  }

  async #read(source: VipSource, signal: AbortSignal): Promise<VipView | undefined> {
    try {
      return await source.read(signal, this.#known);
    } catch (error) {
      signal.throwIfAborted();
      this.#metrics.skipped.increment();
      this.#options.log.warn("Cannot fetch nodes and VIPs; what is in force stays", { error });
      this.#pokeAfter(this.#times.retryMs);
      return undefined;
    }
  }

  async #bringUpToDate(given: VipView, signal: AbortSignal): Promise<void> {
    const { node, settings, directory } = this.#options;
    const view = this.#withOwnAge(given);
    await this.#holdings.watch(vipUses.flatMap((use) => view.cluster.vips[use]));
    const own = view.nodes.find(({ name }) => name === node);
    if (own === undefined && this.#isAbsentForNow()) return;
    if (own !== undefined) this.#absentSince = undefined;
    const local = {
      name: node,
      linkOf: (family: Family) => this.#linkOf(own, family),
      holds: this.#holdings.held.map(({ vip }) => vip),
      grouped: this.#rendered.plans.filter(({ isGrouped }) => isGrouped).map(({ use }) => use),
    };
    const rendered = renderNode(view.cluster, view.nodes, { settings, directory, local });
    if (this.#isTooEarly(rendered)) return;
    if (!this.#configuration.isInForce) await this.#releaseLeftovers();
    await this.#configuration.apply(rendered);
    this.#rendered = rendered;
    await this.#remember(view);
    this.#problem = view.problems?.join("; ");
    // The report is published again once the node is registered again; its Node object may also have been
    // recreated unnoticed.
    if (own === undefined || own.takesPart.join() !== this.#takesPart().join()) {
      this.#published = "";
    }
    if (own === undefined) return;
    await this.#publish(signal);
  }

  /** The view with this node's age kept: a recreated Node object is younger, and would move its VIPs. */
  #withOwnAge(view: VipView): VipView {
    const own = view.nodes.find(({ name }) => name === this.#options.node);
    if (own?.since === undefined) return view;
    const since = this.#since === undefined || own.since < this.#since ? own.since : this.#since;
    this.#since = since;
    const nodes = view.nodes.map((node) => (node === own ? { ...own, since } : node));
    return since === own.since ? view : { ...view, nodes: nodes.toSorted(byAge) };
  }

  /** Whether to wait before withdrawing; peers still hear its advertisements, and do not take its VIPs. */
  #isAbsentForNow(): boolean {
    const { clock } = this.#options.machine;
    if (!this.#configuration.isInForce) return false;
    this.#absentSince ??= clock.monotonic();
    const wait = this.#absentSince + this.#times.absenceMs - clock.monotonic();
    if (wait <= 0) return false;
    this.#published = "";
    this.#pokeAfter(wait);
    return true;
  }

  /** Remembers the VIPs in force, which later statuses are checked against. */
  async #remember({ cluster, problems = [] }: VipView): Promise<void> {
    const { log } = this.#options;
    const text = problems.join("; ");
    if (text !== "" && text !== this.#problem) {
      log.error("Cannot use the VIPs of the status; those in force stay", { problem: text });
    }
    if (!this.#configuration.isInForce) return;
    this.#known = { cluster, isInForce: true };
    await this.#knownFile.write(cluster);
  }

  /** Whether a node that has peers and does not run yet has to wait for them. */
  #isTooEarly({ plans }: RenderedNode): boolean {
    const { clock } = this.#options.machine;
    const hasPeers = plans.some(({ instances }) => instances.some(({ peers }) => peers.length > 0));
    if (this.#configuration.isInForce || !hasPeers) return false;
    this.#firstSeen ??= clock.monotonic();
    const wait = this.#firstSeen + this.#times.settleMs - clock.monotonic();
    if (wait > 0) this.#pokeAfter(wait);
    return wait > 0;
  }

  #linkOf(own: VipNode | undefined, family: Family): string {
    const address = own && addressOf(own, family);
    const found = this.#holdings.addresses.find((one) => address?.equals(one.address));
    if (found !== undefined) return found.link;
    throw new Error(`Cannot render for ${own?.name}: no interface has its address ${address}`);
  }

  async #restore(): Promise<void> {
    if (this.#configuration.isInForce || !(await this.#configuration.restore())) return;
    this.#options.log.warn("Nothing is known of the cluster; the last good configuration is used");
  }

  async #crashed(program: ProgramName): Promise<void> {
    this.#metrics.crashes.with(program).increment();
    if (program === "keepalived") await this.#releaseLeftovers();
  }

  /** Removes the VIPs that a killed keepalived has left behind, while another node takes them. */
  async #releaseLeftovers(): Promise<void> {
    await this.#holdings.refresh();
    const vips = this.#holdings.held.map(({ vip }) => vip);
    const lines = this.#holdings.addresses
      .filter(({ address }) => vips.some((vip) => vip.equals(address)))
      .map(({ address, prefix, link }) => `address delete ${address}/${prefix.length} dev ${link}`);
    await this.#options.machine.ip.batch(lines);
  }

  #heldChanged(): void {
    this.#metrics.changes.increment();
    this.#metrics.showHeld(this.#holdings.held);
    this.#debounce.poke();
  }

  async #publishOrLog(signal: AbortSignal): Promise<void> {
    try {
      await this.#publish(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.log.warn("Cannot report what is wrong", { error });
    }
  }

  async #publish(signal: AbortSignal): Promise<void> {
    const report: NodeReport = {
      takesPart: this.#takesPart(),
      holds: this.#holdings.held,
      failing: this.#selfCheck.failing,
      ...defined({ since: this.#since, problem: this.#problem }),
    };
    this.#metrics.showFailing(report.failing);
    const text = JSON.stringify(report);
    if (text === this.#published) return;
    await this.#options.source.publish(report, signal);
    this.#published = text;
  }

  /** Publishes the last report: the node will take part again, but holds nothing until then. */
  async #sayGoodbye(): Promise<void> {
    const { source, log } = this.#options;
    const since = this.#since !== undefined && { since: this.#since };
    const report = { takesPart: this.#takesPart(), holds: [], failing: [], ...since };
    try {
      if (this.#published !== "") await source.publish(report, AbortSignal.timeout(goodbyeMs));
    } catch (error) {
      log.warn("Cannot report that this node has stopped", { error });
    }
  }

  #takesPart(): Address[] {
    return this.#rendered.plans.flatMap(({ instances }) => instances.map(({ vip }) => vip));
  }

  #pokeAfter(ms: number): void {
    this.#options.machine.clock.setTimer(ms, () => this.#debounce.poke());
  }
}

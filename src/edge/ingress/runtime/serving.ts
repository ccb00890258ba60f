// Reconciles nginx with the cluster: one configuration for all Ingresses, and events for the owners of those
// that cannot be served.

import { Controller } from "../../../api/client/controller.ts";
import type { EventRecorder } from "../../../api/client/events.ts";
import { keyOf } from "../../../api/client/objects.ts";
import type { Ingress } from "../../../api/types/networking.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import { type Plan, planSites } from "../plan/plan.ts";
import type { Problem } from "../plan/problem.ts";
import type { ClusterView } from "./cluster-view.ts";
import { type Configuration, ConfigurationRefused } from "./configuration.ts";
import type { IngressMetrics } from "./metrics.ts";

export interface ServingOptions {
  readonly view: ClusterView;
  readonly configuration: Configuration;
  readonly recorder: EventRecorder;
  /** The families that backends can be reached by, at present. */
  readonly reachable: () => readonly Family[];
  /** Called with the keys of the Ingresses that are served. */
  readonly onServed: (keys: ReadonlySet<string>) => void;
  /** The debounce interval: changes within it are handled together. */
  readonly quietMs: number;
  /** The least time between two reloads of nginx. */
  readonly reloadIntervalMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly registry: Registry;
  readonly metrics: IngressMetrics;
}

const everything = "configuration";

export class Serving {
  readonly name = "serving";
  readonly #options: ServingOptions;
  readonly #controller: Controller;
  /** The versions of Ingresses that nginx accepts, and of those that it refuses, with its message. */
  #accepted = new Set<string>();
  #refused = new Map<string, Problem>();
  /** The last problem reported for each Ingress, so that it is reported once. */
  #told = new Map<string, string>();
  /** The monotonic time of the last change. */
  #lastChange = Number.NEGATIVE_INFINITY;

  constructor(options: ServingOptions) {
    this.#options = options;
    this.#controller = new Controller({
      ...options,
      metrics: options.registry,
      name: "ingress",
      sources: options.view.sources(everything),
      backOff: { initialMs: 500, maximumMs: 30_000 },
      reconcile: (_, signal) => this.#reconcile(signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#controller.enqueue(everything);
    await this.#controller.run(signal);
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const { clock, quietMs, reloadIntervalMs, view, metrics, onServed, log } = this.#options;
    const rest = this.#lastChange + reloadIntervalMs - clock.monotonic();
    await clock.sleep(Math.max(quietMs, rest), signal);
    const plan = await this.#apply(view.ours());
    metrics.served.set(plan.served.size);
    metrics.troubled.set(plan.problems.size);
    this.#tell(plan.problems);
    onServed(plan.served);
    log.debug("Served", { ingresses: plan.served.size, sites: plan.sites.length });
  }

  /** Applies all Ingresses; should nginx refuse that, those that it refuses alone are left out. */
  async #apply(ours: readonly Ingress[]): Promise<Plan> {
    const { configuration, clock } = this.#options;
    const wanted = ours.filter((ingress) => !this.#refused.has(versionOf(ingress)));
    const plan = this.#plan(wanted);
    try {
      if (await configuration.apply(plan)) this.#lastChange = clock.monotonic();
    } catch (error) {
      if (!(error instanceof ConfigurationRefused)) throw error;
      const suspects = wanted.filter((ingress) => !this.#accepted.has(versionOf(ingress)));
      if ((await this.#refusedAmong(suspects)) === 0) throw error;
      return await this.#apply(ours);
    }
    this.#accepted = new Set(wanted.map(versionOf));
    const problems = new Map(plan.problems);
    const present = new Map(ours.map((ingress) => [versionOf(ingress), keyOf(ingress)]));
    for (const [version, problem] of this.#refused) {
      const key = present.get(version);
      if (key === undefined) this.#refused.delete(version);
      else problems.set(key, [problem]);
    }
    return { ...plan, problems };
  }

  /** Finds the Ingresses that nginx refuses by bisection: there may be thousands, and few of them are bad. */
  async #refusedAmong(suspects: readonly Ingress[]): Promise<number> {
    const [first, ...others] = suspects;
    if (first === undefined) return 0;
    try {
      await this.#options.configuration.check(this.#plan(suspects));
      return 0;
    } catch (error) {
      if (!(error instanceof ConfigurationRefused)) throw error;
      if (others.length === 0) {
        const message = `Cannot serve the Ingress: nginx says: ${error.said}`;
        this.#refused.set(versionOf(first), { reason: "Refused", message });
        return 1;
      }
    }
    const middle = suspects.length >> 1;
    const before = await this.#refusedAmong(suspects.slice(0, middle));
    return before + (await this.#refusedAmong(suspects.slice(middle)));
  }

  #plan(ingresses: readonly Ingress[]): Plan {
    const { view, reachable } = this.#options;
    return planSites(ingresses, view.referred(reachable()));
  }

  #tell(problems: ReadonlyMap<string, readonly Problem[]>): void {
    const { view, recorder } = this.#options;
    const told = new Map<string, string>();
    for (const [key, list] of problems) {
      const text = JSON.stringify(list);
      told.set(key, text);
      const ingress = view.ingresses.get(key);
      if (ingress === undefined || this.#told.get(key) === text) continue;
      for (const { reason, message } of list) {
        recorder.record(ingress, { type: "Warning", reason, message });
      }
    }
    this.#told = told;
  }
}

/** The version of an Ingress; changes of its status count, too, but are rare. */
function versionOf({ metadata }: Ingress): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}

// Wires the proxy: informers, plans, the kernel, and the servers that report on it.

import type { Client } from "../../api/client/client.ts";
import { EventRecorder } from "../../api/client/events.ts";
import { Informers } from "../../api/client/informer.ts";
import type { Node } from "../../api/types/core.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions, Commands } from "../../base/host/command.ts";
import { systemConntrack } from "../../base/host/conntrack.system.ts";
import { HostError } from "../../base/host/error.ts";
import type { Random } from "../../base/host/random.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import { defined } from "../../base/json/defined.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { runAll } from "../../base/program/run-all.ts";
import { flowCleaner } from "./flows/clean-flows.ts";
import { systemFlows } from "./flows/flows.system.ts";
import { keepServices } from "./keep-services.ts";
import { type OpenProxier, type ProxyMode, proxierOpener } from "./modes.ts";
import { followServices } from "./objects/follow-services.ts";
import { isEligible, nodeFacts } from "./objects/node-facts.ts";
import { DesiredState } from "./plan/desired-state.ts";
import type { FamilySettings } from "./plan/frontend.ts";
import type { PlanContext } from "./plan/plan-service.ts";
import { routeLoopback } from "./route-loopback.ts";
import { HealthChecks } from "./serve/health-checks.ts";
import { openStatusServer } from "./serve/status-server.ts";
import { type ProxySettings, planContext } from "./settings.ts";
import { FamilySync } from "./sync/family-sync.ts";
import { registerProxyMetrics } from "./sync/metrics.ts";
import { ProblemBook } from "./sync/problem-book.ts";
import { releaseMemory } from "./sync/release-memory.ts";
import { type FamilyStatus, ServiceProxy } from "./sync/service-proxy.ts";

export interface ProxyParts {
  readonly client: Client;
  /** The commands run in the network namespace that gets the rules. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Registry;
  /** Called after every attempt to bring the kernel up to date. */
  readonly onStatus?: (families: readonly FamilyStatus[]) => void;
}

/** Runs the proxy. Its rules stay when it ends, so that services work while the proxy is replaced. */
export async function runProxy(
  settings: ProxySettings,
  parts: ProxyParts,
  signal: AbortSignal,
): Promise<void> {
  const { client, commands, clock, log } = parts;
  const { mode, node: name, bindAddress: own } = settings;
  const open = proxierOpener(mode, { ...settings, commands, signal });
  const contextOf = (node: Node | undefined): PlanContext =>
    planContext(settings, nodeFacts(name, { node, own }));
  const state = new DesiredState(contextOf(undefined));
  const { families } = state.context;
  await checkKernel(mode, { open, settings: families }, { signal });
  await routeLoopback(families, systemSysctl(commands), { signal });

  const metrics = registerProxyMetrics(parts.metrics);
  const events = new EventRecorder({
    ...parts,
    events: client.resource("v1", "Event"),
    component: "tandem-proxy",
    host: name,
  });
  const informers = new Informers(parts);
  const fieldSelector = `metadata.name=${name}`;
  const nodes = informers.of(client.resource("v1", "Node"), { fieldSelector });
  const problems = new ProblemBook({ state, events, metrics, log });
  const healthChecks = new HealthChecks({
    isHealthy: () => proxy.isHealthy,
    onFailure: (service, message) => problems.tell(service, message),
  });
  const proxy = new ServiceProxy({
    state,
    listeners: [healthChecks, problems],
    afterStart: releaseMemory,
    ...defined({ onStatus: parts.onStatus }),
    clock,
    log,
  });
  const collections = followServices({
    ...parts,
    state,
    node: name,
    onChange: (revisions) => proxy.notify(revisions),
  });
  const cleaning = { flows: systemFlows(commands), conntrack: systemConntrack(commands) };
  const openSyncs = (): readonly FamilySync[] =>
    state.context.families.map((each) => {
      const table = state.tables[each.family];
      const cleaner = flowCleaner({ ...cleaning, settings: each, table });
      return new FamilySync({ proxier: open(each), cleaner, table, metrics, clock, log });
    });
  const statusServer = await openStatusServer({
    ...settings,
    ...parts,
    read: () => ({
      mode,
      node: name,
      families: proxy.status,
      problems: problems.problems,
      isHealthy: proxy.isHealthy,
      isEligible: isEligible(nodes.get(name)),
    }),
  });
  const synced = collections.map((collection) => collection.synced);
  log.info("keeping the rules of services", { node: name, mode });
  await runAll(
    [
      { name: "informers", run: (stop) => informers.run(stop) },
      ...collections,
      events,
      statusServer,
      healthChecks,
      keepServices({ state, proxy, nodes, synced, contextOf, openSyncs, log }),
    ],
    signal,
  );
}

/** Throws where this machine cannot keep the rules of a family in the given mode. Changes nothing. */
async function checkKernel(
  mode: ProxyMode,
  { open, settings }: { readonly open: OpenProxier; readonly settings: readonly FamilySettings[] },
  options?: CallOptions,
): Promise<void> {
  for (const each of settings) {
    try {
      await open(each).check(options);
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause;
      const message = `Cannot keep ${each.family} services by ${mode}: ${cause.message}`;
      throw new HostError(message, { reason: cause.reason, cause });
    }
  }
}

// The plan of one service: its frontends in each family, and their endpoints.

import { isCounted } from "../../../api/kinds/discovery.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { type BackendSources, type BackendsByPort, readBackends } from "./backends.ts";
import type { FamilySettings, Frontend, Pool } from "./frontend.ts";
import type { NodeFacts } from "./node.ts";
import { loadBalancerAddresses, planFamily } from "./plan-family.ts";
import type { Problem } from "./problem.ts";
import { isProxied, readService, type ServiceFacts } from "./service-facts.ts";

export interface PlanContext {
  readonly node: NodeFacts;
  /** The settings of every family that the node has. */
  readonly families: readonly FamilySettings[];
  /**
   * The proxy name: serve only services labelled with it. When not given, serve those without such a
   * label.
   */
  readonly proxyName?: string | undefined;
  /** Whether services may take addresses of this node and of pods. */
  readonly allowsReserved?: boolean | undefined;
}

export interface ServicePlan {
  readonly frontends: Readonly<Record<Family, readonly Frontend[]>>;
  readonly problems: readonly Problem[];
  readonly healthCheck: HealthCheckPlan | undefined;
  /** The order of endpoints, which the next plan keeps. */
  readonly pools: ReadonlyMap<string, Pool>;
}

/** A health check port, at which load balancers ask how many backends of the service this node has. */
export interface HealthCheckPlan {
  readonly port: number;
  /**
   * The number of local backends by family: a load balancer asks through the family that it would send
   * to.
   */
  readonly localBackends: Readonly<Record<Family, number>>;
}

export const emptyPlan: ServicePlan = {
  frontends: { IPv4: [], IPv6: [] },
  problems: [],
  healthCheck: undefined,
  pools: new Map(),
};

export interface ServiceInputs extends BackendSources {
  readonly service: Service;
}

/**
 * Says why a service may not have an address. The API refuses such addresses; one that was stored all the
 * same gets no traffic of this node.
 */
function reservedFor(
  address: Address,
  { node, families, allowsReserved }: PlanContext,
): string | undefined {
  if (allowsReserved === true) return undefined;
  if (node.addresses.some((own) => own.equals(address))) return "it is an address of this node";
  const isPods = families.some(({ podPrefix }) => podPrefix?.contains(address) === true);
  return isPods ? "it is in the range of pods" : undefined;
}

export function planService(
  inputs: ServiceInputs,
  context: PlanContext,
  before: ServicePlan = emptyPlan,
): ServicePlan {
  const { service } = inputs;
  if (!isProxied(service, context.proxyName)) return emptyPlan;
  const problems: Problem[] = [];
  const facts = readService(service, problems, (address) => reservedFor(address, context));
  const frontends: Record<Family, Frontend[]> = { IPv4: [], IPv6: [] };
  const pools = new Map<string, Pool>();
  const localBackends: Record<Family, number> = { IPv4: 0, IPv6: 0 };
  const slices = inputs.slices.filter((slice) => isCounted(slice, service));
  for (const settings of context.families) {
    const { family } = settings;
    const isWanted = facts.families.includes(family);
    const backends = isWanted ? readBackends({ ...inputs, slices }, family) : new Map();
    frontends[family] = planFamily({
      service: `${service.metadata.namespace}/${service.metadata.name}`,
      facts,
      node: context.node,
      settings,
      backends,
      poolsBefore: before.pools,
      pools,
    });
    problems.push(...familyProblems(facts, { family, isWanted }));
    localBackends[family] = new Set(localIdentities(backends, context.node)).size;
  }
  const { healthCheckNodePort: port } = facts;
  return {
    frontends,
    problems,
    healthCheck: port === undefined ? undefined : { port, localBackends },
    pools,
  };
}

function familyProblems(
  facts: ServiceFacts,
  { family, isWanted }: { family: Family; isWanted: boolean },
): Problem[] {
  const outside = facts.addresses.filter(
    ({ kind, address }) => kind !== "ClusterIP" && address.family === family,
  );
  if (!isWanted) {
    const state = `the service takes no ${family}`;
    return outside.map(({ field, address }) => ({ field, value: address.toString(), state }));
  }
  const isClosed =
    facts.sourceRanges?.every((prefix) => prefix.family !== family) === true &&
    loadBalancerAddresses(facts, family).length > 0;
  if (!isClosed) return [];
  const state = `it has no ${family} prefix, so that nobody is let in at the ${family} address`;
  const value = String(facts.sourceRanges);
  return [{ field: "spec.loadBalancerSourceRanges", value, state }];
}

function* localIdentities(backends: BackendsByPort, node: NodeFacts): Generator<string> {
  for (const list of backends.values()) {
    for (const backend of list) {
      if (backend.isReady && backend.node === node.name) yield backend.identity;
    }
  }
}

// The frontends of one service in one family.

import type { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { arrange } from "./arrange.ts";
import { type BackendsByPort, portKey } from "./backends.ts";
import {
  type FamilySettings,
  type Frontend,
  frontendKey,
  type Masquerade,
  type Pool,
} from "./frontend.ts";
import { isNodeWithin, type NodeFacts } from "./node.ts";
import { choosePools } from "./pools.ts";
import type { PortFacts, ServiceFacts } from "./service-facts.ts";

export interface FamilyInputs {
  /** The service, as `namespace/name`. */
  readonly service: string;
  readonly facts: ServiceFacts;
  readonly node: NodeFacts;
  readonly settings: FamilySettings;
  readonly backends: BackendsByPort;
  /** The order of endpoints in the last plan; `pools` is filled in with the current one. */
  readonly poolsBefore: ReadonlyMap<string, Pool>;
  readonly pools: Map<string, Pool>;
}

export function planFamily(inputs: FamilyInputs): Frontend[] {
  const frontends = new Map<string, Frontend>();
  for (const port of inputs.facts.ports) {
    for (const frontend of planPort(port, inputs)) {
      // The first of several claims to a key has precedence: see `frontendKinds`.
      const key = frontendKey(frontend);
      if (!frontends.has(key)) frontends.set(key, frontend);
    }
  }
  return [...frontends.values()];
}

export function loadBalancerAddresses({ addresses }: ServiceFacts, family: Family): Address[] {
  return addresses.flatMap(({ kind, address }) =>
    kind === "LoadBalancer" && address.family === family ? [address] : [],
  );
}

function* planPort(port: PortFacts, inputs: FamilyInputs): Generator<Frontend> {
  const { facts, settings } = inputs;
  const { family } = settings;
  const { isServed, pool } = openPools(port, inputs);
  const inside = {
    owner: `${inputs.service}:${port.name ?? port.port}`,
    protocol: port.protocol,
    port: port.port,
    pool: pool(facts.isLocalInside ? "local" : "cluster"),
    outsiders: undefined,
    keepers: port.protocol === "udp" ? pool("serving") : [],
    whenEmpty: isServed ? "drop" : "reject",
    masquerade: insideMasquerade(settings),
    allowedSources: undefined,
    affinitySeconds: facts.affinitySeconds,
  } as const;
  const outside = {
    ...inside,
    pool: pool("cluster"),
    outsiders: facts.isLocalOutside ? pool("local") : undefined,
    masquerade: facts.isLocalOutside ? "this-node" : "everyone",
  } as const;
  // Other frontends are left out if the service does not use this family. The cluster IP, which clients
  // find by name, stays and refuses them.
  const isWanted = facts.families.includes(family);
  for (const { kind, address } of facts.addresses) {
    if (address.family !== family) continue;
    const place = { kind, address: address.toString() };
    if (kind === "ClusterIP") yield { ...inside, ...place };
    else if (isWanted) {
      const allowed = kind === "LoadBalancer" ? allowedSources(inputs) : undefined;
      yield { ...outside, ...place, allowedSources: allowed };
    }
  }
  if (port.nodePort !== undefined && isWanted) {
    yield { ...outside, kind: "NodePort", address: undefined, port: port.nodePort };
  }
}

interface OpenPools {
  readonly isServed: boolean;
  readonly pool: (kind: "cluster" | "local" | "serving") => Pool;
}

function openPools(port: PortFacts, inputs: FamilyInputs): OpenPools {
  const key = portKey(port.name, port.protocol);
  const chosen = choosePools(inputs.backends.get(key) ?? [], inputs.node);
  return {
    isServed: chosen.isServed,
    pool(kind) {
      const name = `${inputs.settings.family} ${key} ${kind}`;
      const arranged =
        inputs.pools.get(name) ?? arrange(inputs.poolsBefore.get(name) ?? [], chosen[kind]);
      inputs.pools.set(name, arranged);
      return arranged;
    },
  };
}

function insideMasquerade({ masqueradeAll, podPrefix }: FamilySettings): Masquerade {
  if (masqueradeAll) return "everyone";
  return podPrefix === undefined ? "nobody" : "everyone-but-pods";
}

/**
 * Returns the source ranges of a load balancer. If the node is allowed, so are the load balancer's
 * addresses: a node that has such an address itself uses it as source.
 */
function allowedSources({ facts, node, settings }: FamilyInputs): readonly Prefix[] | undefined {
  const allowed = facts.sourceRanges?.filter(({ family }) => family === settings.family);
  // A prefix of length 0 allows every source, like no list at all.
  if (allowed?.some(({ length }) => length === 0)) return undefined;
  if (allowed === undefined || !isNodeWithin(node, allowed)) return allowed;
  const own = loadBalancerAddresses(facts, settings.family);
  return [...allowed, ...own.map((address) => Prefix.of(address, bitsOf(address.family)))];
}

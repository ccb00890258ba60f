// Places addresses on nodes: a pure function of what all nodes see, so that they agree without asking.

import { createHash } from "node:crypto";
import { keyOf } from "../../../api/client/objects.ts";
import { isCounted } from "../../../api/kinds/discovery.ts";
import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { isOurs } from "../allocate/claim.ts";

export interface BalancedAddress {
  readonly address: Address;
  /** The services that have the address: several where it is shared. */
  readonly services: readonly BalancedService[];
}

interface BalancedService {
  readonly key: string;
  /** The nodes with a local endpoint, if traffic must stay on them (externalTrafficPolicy Local). */
  readonly nodes: ReadonlySet<string> | undefined;
}

/** A node that could hold addresses. */
export interface Candidate {
  readonly node: string;
  /** The networks of its links: an address outside of them cannot be announced there. */
  readonly networks: readonly Prefix[];
  /**
   * The addresses that the node keeps, if it was cut off and takes no others yet. When the API was away for
   * all, all nodes come back like this, each at a different time, and no address must move.
   */
  readonly keeps?: ReadonlySet<string>;
}

const excludedLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

/** The addresses to announce; never one of a node, whatever the status of a Service says. */
export function balancedAddresses(
  services: readonly Service[],
  {
    slicesOf,
    nodes: known,
  }: { slicesOf: (key: string) => readonly EndpointSlice[]; nodes: readonly Node[] },
): BalancedAddress[] {
  const nodeAddresses = new Set(
    known.flatMap(({ status }) => (status?.addresses ?? []).map(({ address }) => address)),
  );
  const found = new Map<string, { address: Address; services: BalancedService[] }>();
  for (const service of services.filter(isOurs)) {
    const key = keyOf(service);
    const isLocal = service.spec.externalTrafficPolicy === "Local";
    for (const { ip = "", ipMode = "VIP" } of service.status?.loadBalancer?.ingress ?? []) {
      const address = Address.tryParse(ip);
      if (address === undefined || ipMode !== "VIP" || nodeAddresses.has(String(address))) continue;
      const slices = slicesOf(key).filter((slice) => isCounted(slice, service));
      const nodes = isLocal ? nodesOf(slices, address) : undefined;
      const entry = found.get(ip) ?? { address, services: [] };
      entry.services.push({ key, nodes });
      found.set(ip, entry);
    }
  }
  return [...found.values()];
}

/** The nodes that may hold addresses: those that are ready, or all if none is. */
export function fitNodes(living: readonly Candidate[], nodes: readonly Node[]): Candidate[] {
  const known = new Map(nodes.map((node) => [node.metadata.name, node]));
  const allowed = living.filter(
    ({ node }) => known.get(node)?.metadata.labels?.[excludedLabel] === undefined,
  );
  const ready = allowed.filter(({ node }) =>
    (known.get(node)?.status?.conditions ?? []).some(
      ({ type, status }) => type === "Ready" && status === "True",
    ),
  );
  return ready.length > 0 ? ready : allowed;
}

/**
 * The node with the highest rendezvous hash: when one comes or goes, only its own addresses move. The hash is
 * of the service, so that its addresses of both families are together where they can be.
 */
export function holderOf(
  { address, services }: BalancedAddress,
  candidates: readonly Candidate[],
): string | undefined {
  const reaching = candidates.filter(
    ({ networks, keeps }) =>
      networks.some((network) => network.contains(address)) &&
      (keeps === undefined || keeps.has(address.toString())),
  );
  const serving = reaching.filter(({ node }) =>
    services.every(({ nodes }) => nodes === undefined || nodes.has(node)),
  );
  const useful = reaching.filter(({ node }) =>
    services.some(({ nodes }) => nodes === undefined || nodes.has(node)),
  );
  const [name = ""] = services.map(({ key }) => key).toSorted();
  return (serving.length > 0 ? serving : useful)
    .map(({ node }) => ({ node, weight: weightOf(node, name) }))
    .toSorted((a, b) => (a.weight < b.weight ? 1 : -1))[0]?.node;
}

function weightOf(node: string, name: string): string {
  return createHash("sha256").update(`${node} ${name}`).digest("hex");
}

function nodesOf(slices: readonly EndpointSlice[], address: Address): Set<string> {
  const found = new Set<string>();
  for (const { addressType, endpoints = [] } of slices) {
    if (addressType !== address.family) continue;
    for (const { conditions, nodeName } of endpoints) {
      if (nodeName !== undefined && conditions?.ready !== false) found.add(nodeName);
    }
  }
  return found;
}

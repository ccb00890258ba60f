// The stage of a check: the pods and services deployed in the cluster.

import type { Node, Pod, Service } from "../../api/types/core.ts";
import { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";

/** A node with the check's pods on it. */
export interface PodStand {
  readonly node: Node;
  /** The pod that sends requests. */
  readonly client: Pod;
  /** The pod that answers, also for the services and at a host port of the node. */
  readonly server: Pod;
  /** The pod in the network of the node, which sends and answers as the node. */
  readonly host: Pod;
}

/** A node's pods with services that lead to its server and to no other, so that every path is known. */
export interface Stand extends PodStand {
  readonly services: Services;
}

export interface Services {
  /** The service with a cluster IP of each family, and a node port. */
  readonly web: Service;
  /** The services of a single family, one for each, so that a name selects the family too. */
  readonly named: readonly Service[];
  readonly headless: readonly Service[];
  /** The service with external IPs, or why the API server refused it. */
  readonly external: Service | { readonly refusal: string };
}

export interface Stage {
  readonly namespace: string;
  readonly stands: readonly Stand[];
  readonly families: readonly Family[];
  /** The host port that leads to the server; pods in the network of nodes answer at the next port. */
  readonly hostPort: number;
  readonly outside: readonly Outside[];
  /** The load balancer and the Ingress, where asked for. */
  readonly fronts: Fronts;
  readonly isFromHere: boolean;
}

/** Frontend addresses that lead to the first stand. */
export interface Fronts {
  readonly loadBalancer?: readonly string[];
  readonly ingress?: readonly string[];
}

/** A target outside of the cluster. */
export interface Outside {
  readonly host: string;
  readonly port: number;
  /** The protocol of the target; if not given, it is an echo server of ours, which answers all. */
  readonly protocol?: "http" | "udp" | undefined;
}

export function podAddress(pod: Pod, family: Family): string | undefined {
  return ofFamily(
    (pod.status?.podIPs ?? []).map(({ ip }) => ip),
    family,
  );
}

export function nodeAddress({ status }: Node, family: Family): string | undefined {
  const addresses = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
  return ofFamily(
    addresses.map(({ address }) => address),
    family,
  );
}

/** Returns the first address of that family. */
export function ofFamily(addresses: readonly string[], family: Family): string | undefined {
  return addresses.find((address) => Address.tryParse(address)?.family === family);
}

/** Returns the families in which a service's frontends other than its cluster IPs answer. */
export function familiesServed({ spec }: Service): readonly string[] {
  const { endpointFamily, ipFamilies = [] } = spec;
  if (endpointFamily === "dual-stack") return ["IPv4", "IPv6"];
  if (endpointFamily === "ipv4") return ["IPv4"];
  return endpointFamily === "ipv6" ? ["IPv6"] : ipFamilies;
}

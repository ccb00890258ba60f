// What a check has to ask and to be asked: the pods and services that stand in the cluster.

import type { Node, Pod, Service } from "../../api/types/core.ts";
import { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";

/** One node, with the pods on it. */
export interface PodStand {
  readonly node: Node;
  /** Asks. */
  readonly client: Pod;
  /** Answers, also for the services and at a port of the node. */
  readonly server: Pod;
  /** In the network of the node: asks as the node, and answers for it. */
  readonly host: Pod;
}

/** With services that lead to its server and to no other, so that everybody's way is known. */
export interface Stand extends PodStand {
  readonly services: Services;
}

export interface Services {
  /** With an address of each family that services have, and a port on nodes. */
  readonly web: Service;
  /** One for each family, so that a name says the family, too. */
  readonly named: readonly Service[];
  readonly headless: readonly Service[];
  /** What kept it from being made, where something did. */
  readonly external: Service | { readonly refusal: string };
}

export interface Stage {
  readonly namespace: string;
  readonly stands: readonly Stand[];
  readonly families: readonly Family[];
  /** The port of nodes that leads to the server; pods in the network of nodes answer at the next. */
  readonly hostPort: number;
  readonly outside: readonly Outside[];
  /** Where one is asked for. */
  readonly fronts: Fronts;
  readonly isFromHere: boolean;
}

/** Addresses that lead to the first stand. */
export interface Fronts {
  readonly loadBalancer?: readonly string[];
  readonly ingress?: readonly string[];
}

/** Somebody who is not in the cluster. */
export interface Outside {
  readonly host: string;
  readonly port: number;
  /** Any when not given; the server is one of ours then. */
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

/** The first of that family. */
export function ofFamily(addresses: readonly string[], family: Family): string | undefined {
  return addresses.find((address) => Address.tryParse(address)?.family === family);
}

/** Families in which something of the service answers, besides its own addresses. */
export function familiesServed({ spec }: Service): readonly string[] {
  const { endpointFamily, ipFamilies = [] } = spec;
  if (endpointFamily === "dual-stack") return ["IPv4", "IPv6"];
  if (endpointFamily === "ipv4") return ["IPv4"];
  return endpointFamily === "ipv6" ? ["IPv6"] : ipFamilies;
}

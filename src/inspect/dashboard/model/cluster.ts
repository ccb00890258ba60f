// The objects that all views are made of, as far as the user may read them.

import { keyOf } from "../../../api/client/objects.ts";
import type { Node, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { NamedMeta } from "../../../api/types/meta.ts";
import type { Ingress, NetworkPolicy, ServiceCIDR } from "../../../api/types/networking.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { IpamPool, NodeSlicePool } from "./ipam.ts";

/** An AddressPool, as far as views need it. */
export interface AddressPool {
  apiVersion: string;
  kind: string;
  metadata: NamedMeta;
  spec: { addresses: string[] };
  status?: { families?: { family: Family; total: string; used: number }[] };
}

/** The kinds that views read, by the names of their lists. */
export interface ObjectKinds {
  nodes: Node;
  pods: Pod;
  services: Service;
  slices: EndpointSlice;
  ingresses: Ingress;
  serviceCidrs: ServiceCIDR;
  policies: NetworkPolicy;
  pools: AddressPool;
  ipPools: IpamPool;
  nodeSlicePools: NodeSlicePool;
}

export type KindName = keyof ObjectKinds;

export const kindNames: readonly KindName[] = [
  "nodes",
  "pods",
  "services",
  "slices",
  "ingresses",
  "serviceCidrs",
  "policies",
  "pools",
  "ipPools",
  "nodeSlicePools",
];

export type ClusterObjects = {
  readonly [Kind in KindName]: readonly ObjectKinds[Kind][];
} & {
  /** The kinds that the user may not read, or that are not read yet: what they would say is not known. */
  readonly unread: ReadonlySet<KindName>;
  /** The names of nodes whose announcers are silent, as far as somebody listens. */
  readonly silentAnnouncers: ReadonlySet<string>;
};

export const noObjects: ClusterObjects = {
  nodes: [],
  pods: [],
  services: [],
  slices: [],
  ingresses: [],
  serviceCidrs: [],
  policies: [],
  pools: [],
  ipPools: [],
  nodeSlicePools: [],
  unread: new Set(),
  silentAnnouncers: new Set(),
};

/** The label that names the service of an EndpointSlice. */
export const serviceNameLabel = "kubernetes.io/service-name";

/** The slices of each service, by the service's key. */
export function slicesByService(
  slices: readonly EndpointSlice[],
): ReadonlyMap<string, readonly EndpointSlice[]> {
  return Map.groupBy(slices, ({ metadata: { namespace, labels } }) =>
    keyOf({ metadata: { namespace, name: labels?.[serviceNameLabel] ?? "" } }),
  );
}

export function addressesOfPod({ status }: Pod): readonly Address[] {
  return parsed((status?.podIPs ?? []).map(({ ip }) => ip));
}

export function addressesOfNode({ status }: Node): readonly Address[] {
  const addresses = status?.addresses ?? [];
  return parsed(addresses.map(({ address }) => address));
}

export function rangesOfNode({ spec }: Node): readonly Prefix[] {
  return (spec.podCIDRs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
}

/** The addresses at which clients inside of the cluster reach a service; none if it is headless. */
export function clusterAddresses({ spec }: Service): readonly Address[] {
  return parsed(spec.clusterIPs ?? []);
}

/** Parses addresses; what is none, such as a host name or "None", is left out. */
export function parsed(texts: readonly (string | undefined)[]): readonly Address[] {
  return texts.flatMap((text) => (text === undefined ? [] : (Address.tryParse(text) ?? [])));
}

export function ofFamily<T extends { readonly family: Family }>(
  values: readonly T[],
  family: Family,
): readonly T[] {
  return values.filter((value) => value.family === family);
}

/** The families that the cluster has: those of any node's ranges and addresses, or of any service. */
export function clusterFamilies({ nodes, services }: ClusterObjects): readonly Family[] {
  const found = new Set<Family>();
  for (const node of nodes) {
    for (const { family } of [...rangesOfNode(node), ...addressesOfNode(node)]) found.add(family);
  }
  for (const service of services) {
    for (const { family } of clusterAddresses(service)) found.add(family);
  }
  return families.filter((family) => found.has(family));
}

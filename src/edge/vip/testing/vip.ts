// Clusters for the tests of this folder and of test/e2e.

import { Address } from "../../../base/net/address.ts";
import type { VipCluster, VipNode, VipUse } from "../cluster.ts";

export const vips = {
  IPv4: { api: Address.parse("192.168.111.5"), ingress: Address.parse("192.168.111.4") },
  IPv6: { api: Address.parse("fd00:111::5"), ingress: Address.parse("fd00:111::4") },
} as const;

type FamilyName = keyof typeof vips;

/** A cluster with VIPs of these families, in this order. */
export function clusterOf(families: Readonly<Record<VipUse, readonly FamilyName[]>>): VipCluster {
  const listed = (use: VipUse) => families[use].map((family) => vips[family][use]);
  return { name: "ostest", vips: { api: listed("api"), ingress: listed("ingress") } };
}

export const bothFamilies = clusterOf({ api: ["IPv4", "IPv6"], ingress: ["IPv4", "IPv6"] });

/** The n-th node: 192.168.111.20 and fd00:111::20, 21, …; it takes part in all VIPs unless told otherwise. */
export function nodeOf(index: number, options: Partial<VipNode> = {}): VipNode {
  return {
    name: `master-${index}`,
    addresses: [
      Address.parse(`192.168.111.${20 + index}`),
      Address.parse(`fd00:111::${20 + index}`),
    ],
    isControlPlane: true,
    runsIngress: true,
    takesPart: [...bothFamilies.vips.api, ...bothFamilies.vips.ingress],
    ...options,
  };
}

export function nodesOf(count: number, options: Partial<VipNode> = {}): VipNode[] {
  return Array.from({ length: count }, (_, index) => nodeOf(index, options));
}

/** The same node with its addresses of one family only. */
export function withOnly(family: FamilyName, node: VipNode): VipNode {
  return { ...node, addresses: node.addresses.filter((address) => address.family === family) };
}

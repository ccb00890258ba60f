// What the virtual addresses of a cluster depend on.

import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";

export type VipUse = "api" | "ingress";

export const vipUses: readonly VipUse[] = ["api", "ingress"];

export interface VipCluster {
  readonly name: string;
  /** At most one a family; the first one is there to stay. */
  readonly vips: Readonly<Record<VipUse, readonly Address[]>>;
}

export interface VipNode {
  readonly name: string;
  /** At most one a family: where its peers and the load balancers reach it. */
  readonly addresses: readonly Address[];
  readonly isControlPlane: boolean;
  readonly runsIngress: boolean;
  /** The VIPs it takes part in, as it says itself once its keepalived knows them. */
  readonly takesPart: readonly Address[];
  /** When it came into the cluster (ISO 8601), as it says itself or as its Node object does. */
  readonly since?: string;
}

/** Older nodes first: a new one does not take over. */
export function byAge(one: VipNode, other: VipNode): number {
  const [a = "", b = ""] = [one.since, other.since];
  if (a !== b) return a < b ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

export function addressOf(node: VipNode, family: Family): Address | undefined {
  return node.addresses.find((address) => address.family === family);
}

/** The nodes that may hold the VIPs of a use, in the order of all nodes. */
export function candidatesFor(use: VipUse, nodes: readonly VipNode[]): VipNode[] {
  return nodes.filter((node) => (use === "api" ? node.isControlPlane : node.runsIngress));
}

// The facts that the virtual IPs of a cluster depend on.

import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";

export type VipUse = "api" | "ingress";

export const vipUses: readonly VipUse[] = ["api", "ingress"];

export interface VipCluster {
  readonly name: string;
  /** The VIPs by use, at most one per family; the first one never changes. */
  readonly vips: Readonly<Record<VipUse, readonly Address[]>>;
}

export interface VipNode {
  readonly name: string;
  /** The addresses, at most one per family, by which peers and load balancers reach the node. */
  readonly addresses: readonly Address[];
  readonly isControlPlane: boolean;
  readonly runsIngress: boolean;
  /** The VIPs that the node takes part in, as it reports once its keepalived knows them. */
  readonly takesPart: readonly Address[];
  /** The time when the node joined the cluster (ISO 8601), from its own report or its Node object. */
  readonly since?: string;
}

/** Orders nodes by age, oldest first: a new one does not take over. */
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

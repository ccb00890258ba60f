import type { Address } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import {
  addressOf,
  candidatesFor,
  type VipCluster,
  type VipNode,
  type VipUse,
  vipUses,
} from "./cluster.ts";
import { isComplete, priorityOf } from "./priority.ts";
import { routerIds } from "./router-id.ts";

/** What one node does for the VIPs of one use. */
export interface UsePlan {
  readonly use: VipUse;
  readonly name: string;
  readonly instances: readonly InstancePlan[];
  /** The instances move together. */
  readonly isGrouped: boolean;
}

/** One VRRP instance: one VIP, one family. */
export interface InstancePlan {
  readonly name: string;
  readonly vip: Address;
  readonly link: string;
  readonly routerId: number;
  /** Without what a passed check adds. */
  readonly priority: number;
  readonly source: Address;
  readonly peers: readonly Address[];
}

export interface LocalNode {
  readonly name: string;
  /** The interface that has the node's address of this family. */
  readonly linkOf: (family: Family) => string;
}

/**
 * What a node is to run; nothing when it is not among the nodes: its peers would not know it, and
 * both sides would take the VIP. `nodes` are in order of age, so that a new one does not take over.
 */
export function planNode(
  cluster: VipCluster,
  nodes: readonly VipNode[],
  local: LocalNode,
): UsePlan[] {
  const ids = routerIds(cluster.name);
  return vipUses.flatMap((use) => {
    const candidates = candidatesFor(use, nodes);
    const own = candidates.find(({ name }) => name === local.name);
    if (own === undefined) return [];
    const name = `${cluster.name}_${use.toUpperCase()}`;
    const vips = cluster.vips[use];
    const instances = vips.flatMap((vip, index) => {
      const source = addressOf(own, vip.family);
      if (source === undefined) return [];
      const priority = priorityOf(own, { candidates, vips });
      const peers = candidates
        .filter((node) => node !== own)
        .flatMap((node) => addressOf(node, vip.family) ?? []);
      const link = local.linkOf(vip.family);
      const routerId = ids[use];
      return [{ name: `${name}_${index}`, vip, link, routerId, priority, source, peers }];
    });
    const isGrouped = instances.length > 1 && areAllReady(candidates, vips);
    return instances.length === 0 ? [] : [{ use, name, instances, isGrouped }];
  });
}

/**
 * Whether every node that could hold all VIPs of a use has an instance for each. Until then a group
 * would keep a VIP from being held: the holder of the first may be a node that does not know of the
 * second. It also has keepalived learn of an instance and of its group one after the other, since it
 * drops the VIPs it holds when it learns of both at once.
 */
function areAllReady(candidates: readonly VipNode[], vips: readonly Address[]): boolean {
  return candidates
    .filter((node) => isComplete(node, vips))
    .every((node) => vips.every((vip) => node.takesPart.some((known) => known.equals(vip))));
}

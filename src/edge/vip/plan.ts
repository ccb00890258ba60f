import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
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

/** The plan of one node for the VIPs of one use. */
export interface UsePlan {
  readonly use: VipUse;
  readonly name: string;
  readonly instances: readonly InstancePlan[];
  /** Whether the instances form a sync group, so that they move together. */
  readonly isGrouped: boolean;
}

/** A VRRP instance: one VIP, one family. */
export interface InstancePlan {
  readonly name: string;
  readonly vip: Address;
  readonly link: string;
  readonly routerId: number;
  /** The base priority, without the weight of a passed check. */
  readonly priority: number;
  readonly source: Address;
  readonly peers: readonly Address[];
}

export interface LocalNode {
  readonly name: string;
  /** The interface that has the node's address of a family. */
  readonly linkOf: (family: Family) => string;
  /** The VIPs that the node holds now; none when its keepalived does not run. */
  readonly holds: readonly Address[];
  /** The uses whose instances are in a sync group already. */
  readonly grouped: readonly VipUse[];
}

/**
 * Plans the instances of a node; none when it is not among the nodes: its peers would not know it, and both
 * sides would take the VIP. `nodes` are in order of age, so that a new one does not take over.
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
    const isGrouped =
      instances.length > 1 && areAllReady(candidates, vips) && isTogether(use, vips, local);
    return instances.length === 0 ? [] : [{ use, name, instances, isGrouped }];
  });
}

/**
 * Whether every node that could hold all VIPs of a use has an instance for each. Until then a group
 * would keep a VIP from being held: the holder of the first may be a node that does not know of the
 * second.
 */
function areAllReady(candidates: readonly VipNode[], vips: readonly Address[]): boolean {
  return candidates
    .filter((node) => isComplete(node, vips))
    .every((node) => vips.every((vip) => isAmong(node.takesPart, vip)));
}

/**
 * Whether the node holds all VIPs of a use, or none. One that is told of a group while it holds a
 * part gives that part up, so a new VIP has to be taken first.
 */
function isTogether(use: VipUse, vips: readonly Address[], local: LocalNode): boolean {
  if (local.grouped.includes(use)) return true;
  const held = vips.filter((vip) => isAmong(local.holds, vip)).length;
  return held === 0 || held === vips.length;
}

function isAmong(list: readonly Address[], address: Address): boolean {
  return list.some((other) => other.equals(address));
}

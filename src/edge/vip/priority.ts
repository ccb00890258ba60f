// VRRP priorities. The higher one wins, and no two nodes have the same: equal ones are told apart by address,
// and IPv4 and IPv6 addresses need not have the same order, so that two nodes could each take one half of a
// pair from the other for ever.
//
// From the lowest to the highest:
//     1 to  60   lacks a family and fails its check
//    61 to 120   has every family, but fails its check
//   121 to 180   lacks a family
//   181 to 240   has every family: a node that lacks one never takes a pair apart that is well held

import type { Address } from "../../base/net/address.ts";
import { addressOf, type VipNode } from "./cluster.ts";

const band = 60;

/** The weight that a passed check adds. */
export const checkWeight = 2 * band;

/**
 * The priority of a node: older ones are higher. Beyond sixty nodes, the last ones share one and are told
 * apart by address.
 */
export function priorityOf(
  node: VipNode,
  {
    candidates,
    vips,
  }: { readonly candidates: readonly VipNode[]; readonly vips: readonly Address[] },
): number {
  const rank = Math.min(candidates.indexOf(node), band - 1);
  return band - rank + (isComplete(node, vips) ? band : 0);
}

/** Whether a node has an address of the family of every VIP. */
export function isComplete(node: VipNode, vips: readonly Address[]): boolean {
  return vips.every((vip) => addressOf(node, vip.family) !== undefined);
}

// The sizes of the nodes' pod CIDRs.

import { bitsOf, type Family } from "./family.ts";
import type { Prefix, SubdividedPrefix } from "./prefix.ts";

/** The prefix lengths by family; those not given follow from the cluster's prefix. */
export type NodeCidrSizes = Readonly<Partial<Record<Family, number>>>;

const usual: Readonly<Record<Family, number>> = { IPv4: 24, IPv6: 64 };
/** The longest IPv6 cluster prefix that has many /64 parts. */
const longestForUsual = 56;
const partBits = 16;
/** The longest part, since a node needs room for its pods. */
const longestPart = 120;

/** The parts of each cluster CIDR that nodes get. Throws when there are none of that size. */
export function nodeParts(
  clusterCidrs: readonly Prefix[],
  sizes: NodeCidrSizes = {},
): SubdividedPrefix[] {
  return clusterCidrs.map((cidr) => {
    const length = sizes[cidr.family] ?? usualLength(cidr);
    if (length < cidr.length || length >= bitsOf(cidr.family)) {
      const option = `--node-cidr-mask-size-${cidr.family.toLowerCase()}`;
      throw new Error(
        `Cannot divide the cluster CIDR ${cidr} among nodes: /${length} is not a part of it with room for pods; set ${option}`,
      );
    }
    return cidr.subdivide(length);
  });
}

function usualLength({ family, length }: Prefix): number {
  if (family === "IPv4" || length <= longestForUsual) return usual[family];
  return Math.max(length, Math.min(length + partBits, longestPart));
}

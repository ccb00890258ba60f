// The networks of a cluster, and the rules between them.

import { type Family, families } from "../../base/net/family.ts";
import { type NodeCidrSizes, nodeParts } from "../../base/net/node-cidr-sizes.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";

/** The ranges, one prefix per family at most in each; the first family of services must be that of pods. */
export interface ClusterRanges {
  readonly podCidr: readonly Prefix[];
  readonly serviceCidr: readonly Prefix[];
  /** The network of the machines. */
  readonly nodeCidr: readonly Prefix[];
}

export interface RangeDemands {
  readonly nodes: number;
  readonly sizes?: NodeCidrSizes;
  /** The names of the ranges at their source, for errors. */
  readonly names?: Readonly<Record<keyof ClusterRanges, string>>;
}

/** The smallest service range: the API server has its first address, and DNS the tenth. */
const fewestServices = 16n;
/** The offset of the first node: the gateway, the servers, and room for virtual IPs come before. */
export const firstNodeOffset = 11n;

const ownNames: Readonly<Record<keyof ClusterRanges, string>> = {
  podCidr: "podCidr",
  serviceCidr: "serviceCidr",
  nodeCidr: "nodeCidr",
};

/** Checks the ranges; throws a UsageError that names the field and the value. */
export function checkRanges(
  ranges: Partial<ClusterRanges>,
  { nodes, sizes = {}, names = ownNames }: RangeDemands,
): void {
  const lists = keys.flatMap((key) => {
    const prefixes = ranges[key];
    return prefixes === undefined ? [] : [{ name: names[key], prefixes }];
  });
  for (const list of lists) checkFamilies(list);
  checkOverlaps(lists);
  const { podCidr, serviceCidr, nodeCidr } = ranges;
  if (podCidr !== undefined) {
    const pods = { name: names.podCidr, prefixes: podCidr };
    checkNodeParts(pods, nodes, sizes);
    if (serviceCidr !== undefined) {
      checkServed({ name: names.serviceCidr, prefixes: serviceCidr }, pods);
    }
    if (nodeCidr !== undefined) checkServed(pods, { name: names.nodeCidr, prefixes: nodeCidr });
  }
  for (const prefix of serviceCidr ?? []) {
    if (prefix.size < fewestServices) {
      throw refused(names.serviceCidr, prefix, `it has ${prefix.size} addresses, fewer than 16`);
    }
  }
  for (const prefix of nodeCidr ?? []) {
    if (prefix.size <= firstNodeOffset + BigInt(nodes)) {
      throw refused(names.nodeCidr, prefix, `it is too small for ${nodes} nodes`);
    }
  }
}

/** Returns the addresses of the cluster's DNS: the tenth of each service range. */
export function dnsAddresses({
  serviceCidr,
}: Pick<ClusterRanges, "serviceCidr">): readonly string[] {
  return serviceCidr.map((prefix) => prefix.at(10n).toString());
}

interface NamedList {
  readonly name: string;
  readonly prefixes: readonly Prefix[];
}

const keys = ["podCidr", "serviceCidr", "nodeCidr"] as const;

function checkFamilies({ name, prefixes }: NamedList): void {
  if (prefixes.length === 0) throw refused(name, prefixes, "it must have at least one prefix");
  for (const family of families) {
    const same = prefixes.filter((prefix) => prefix.family === family);
    if (same.length > 1) {
      throw refused(name, prefixes, `${same.join(" and ")} are both ${family}`);
    }
  }
}

function checkOverlaps(lists: readonly NamedList[]): void {
  for (const [index, one] of lists.entries()) {
    for (const other of lists.slice(index + 1)) {
      for (const prefix of one.prefixes) {
        const clash = other.prefixes.find((each) => each.overlaps(prefix));
        if (clash !== undefined) {
          throw refused(one.name, prefix, `it overlaps ${other.name}=${clash.toString()}`);
        }
      }
    }
  }
}

function checkNodeParts({ name, prefixes }: NamedList, nodes: number, sizes: NodeCidrSizes): void {
  for (const prefix of prefixes) {
    const [parts] = partsOf(name, prefix, sizes);
    if (parts !== undefined && parts.count < BigInt(nodes)) {
      const room = `${parts.count} of /${parts.length}`;
      throw refused(name, prefix, `it has room for ${room}, but there are ${nodes} nodes`);
    }
  }
}

function partsOf(name: string, prefix: Prefix, sizes: NodeCidrSizes) {
  try {
    return nodeParts([prefix], sizes);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw refused(name, prefix, cause.message, cause);
  }
}

/** Checks that each family of the first list is in the second one, too. */
function checkServed(one: NamedList, other: NamedList): void {
  const served = new Set<Family>(other.prefixes.map(({ family }) => family));
  const lacking = one.prefixes.find(({ family }) => !served.has(family));
  if (lacking === undefined) return;
  const rest = other.prefixes.join(",");
  throw refused(one.name, lacking, `there is no range of its family in ${other.name}=${rest}`);
}

function refused(
  name: string,
  value: Prefix | readonly Prefix[],
  state: string,
  cause?: Error,
): UsageError {
  return new UsageError(`Cannot use ${name}=${String(value)}: ${state}`, { cause });
}

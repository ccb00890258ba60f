// The ranges of a cluster's addresses and how much of each is used.

import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { AddressRange, type Span } from "../../../base/net/range.ts";
import {
  type AddressPool,
  addressesOfPod,
  type ClusterObjects,
  clusterAddresses,
  type KindName,
  parsed,
  rangesOfNode,
} from "./cluster.ts";
import { slicesIn } from "./ipam.ts";

/** `IPAM`: a pool of a network of pods. `slices`: a range that IPAM shares out among nodes. */
export type RangeKind = "node" | "service" | "pool" | "IPAM" | "slices";

export interface RangeUse {
  readonly kind: RangeKind;
  /** The object that the range is of: a node, a ServiceCIDR, an AddressPool, a network. */
  readonly owner: string;
  readonly family: Family;
  readonly text: string;
  readonly span: Span;
  /** The number of its addresses, or of its slices. */
  readonly size: bigint;
  /** The number of those that are used; undefined if who uses them cannot be read. */
  readonly used: number | undefined;
}

/** Returns all ranges with their use: nodes first, then services, then pools, each by name. */
export function rangesOf(cluster: ClusterObjects): readonly RangeUse[] {
  const used = usedAddresses(cluster);
  return declaredRanges(cluster).map(({ use, ...range }) => {
    if (use !== undefined) return { ...range, ...use };
    const { kind, span } = range;
    const holder = holders[kind];
    const isUnread = holder === undefined || cluster.unread.has(holder);
    const size = span.last.value - span.first.value + 1n;
    return { ...range, size, used: isUnread ? undefined : countIn(used[kind] ?? [], span) };
  });
}

/** The share of a range that is used, from 0 to 1. */
export function shareOf({ used = 0, size }: Pick<RangeUse, "used" | "size">): number {
  if (size === 0n) return 1;
  // Six digits are enough for a bar, and no size of IPv6 is too large for them.
  return Number((BigInt(used) * 1_000_000n) / size) / 1_000_000;
}

/** Writes large numbers as powers of two, which sizes of IPv6 networks are, or nearly are. */
export function sizeText(size: bigint): string {
  if (size < 1_000_000n) return size.toString();
  const power = Math.round(Math.log2(Number(size)));
  return `${size === 1n << BigInt(power) ? "" : "≈"}2^${power}`;
}

/** The kind whose objects hold the addresses of a range, if those of IPAM do not say it themselves. */
const holders: Readonly<Partial<Record<RangeKind, KindName>>> = {
  node: "pods",
  service: "services",
  pool: "services",
};

interface Declared extends Pick<RangeUse, "kind" | "owner" | "family" | "text" | "span"> {
  /** What the object itself says of its use. */
  readonly use?: Pick<RangeUse, "size" | "used">;
}

export function declaredRanges(cluster: ClusterObjects): readonly Declared[] {
  const { nodes, serviceCidrs, pools } = cluster;
  return [
    ...byName(nodes).flatMap((node) =>
      rangesOfNode(node).map((span) => declared("node", node.metadata.name, span, span.toString())),
    ),
    ...byName(serviceCidrs).flatMap(({ metadata, spec }) =>
      (spec.cidrs ?? []).flatMap((text) => {
        const span = Prefix.tryParse(text);
        return span ? declared("service", metadata.name, span, text) : [];
      }),
    ),
    ...byName(pools).flatMap((pool) =>
      spansOfPool(pool).map(({ span, text }) => declared("pool", pool.metadata.name, span, text)),
    ),
    ...ipamRanges(cluster),
  ];
}

function declared(kind: RangeKind, owner: string, span: Span, text: string): Declared {
  return { kind, owner, family: span.first.family, text, span };
}

/** The pools of one network are of one owner, so that its families stand beside each other. */
function ipamRanges({ ipPools, nodeSlicePools }: ClusterObjects): readonly Declared[] {
  return [
    ...byName(ipPools).flatMap(({ metadata, spec }) => {
      const span = Prefix.tryParse(spec.range);
      if (span === undefined) return [];
      const owner = spec.network === "" ? metadata.name : spec.network;
      const use = { size: BigInt(spec.size), used: spec.held.length };
      return { ...declared("IPAM", owner, span, spec.range), use };
    }),
    ...byName(nodeSlicePools).flatMap((pool) => {
      const span = Prefix.tryParse(pool.spec.range);
      const size = slicesIn(pool);
      if (span === undefined || size === 0n) return [];
      const use = { size, used: pool.status.allocations.length };
      return { ...declared("slices", pool.spec.network, span, pool.spec.range), use };
    }),
  ];
}

function spansOfPool({ spec }: AddressPool): { span: Span; text: string }[] {
  return spec.addresses.flatMap((text) => {
    const [first, last] = parsed(text.split("-"));
    const isRange = first !== undefined && last !== undefined && first.family === last.family;
    const span =
      isRange && first.compare(last) <= 0 ? AddressRange.of(first, last) : Prefix.tryParse(text);
    return span === undefined ? [] : [{ span, text }];
  });
}

/** The addresses in use by the kind of range they come from, each once, in order. */
function usedAddresses(
  cluster: ClusterObjects,
): Readonly<Partial<Record<RangeKind, readonly Address[]>>> {
  const { pods, services } = cluster;
  const living = pods.filter(({ status }) => !hasEnded(status?.phase));
  return {
    node: sortedUnique(living.flatMap(addressesOfPod)),
    service: sortedUnique(services.flatMap(clusterAddresses)),
    pool: sortedUnique(
      services.flatMap(({ status }) =>
        parsed((status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip)),
      ),
    ),
  };
}

export function hasEnded(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

function sortedUnique(addresses: readonly Address[]): readonly Address[] {
  const sorted = addresses.toSorted((a, b) => a.compare(b));
  return sorted.filter((address, at) => sorted[at - 1]?.equals(address) !== true);
}

function countIn(sorted: readonly Address[], { first, last }: Span): number {
  return (
    lowerBound(sorted, (one) => one.compare(last) > 0) -
    lowerBound(sorted, (one) => one.compare(first) >= 0)
  );
}

/** The index of the first address for which the condition holds, which then holds for all behind it. */
function lowerBound(sorted: readonly Address[], holds: (address: Address) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const address = sorted[middle];
    if (address !== undefined && holds(address)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function byName<T extends { metadata: { name: string } }>(objects: readonly T[]): readonly T[] {
  return objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

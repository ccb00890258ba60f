import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { AddressRange, type Span } from "../../base/net/range.ts";
import { lowestFreePrefix, RangeSet } from "../../base/net/range-set.ts";
import type { PoolRange } from "./config/range.ts";
import type { Slice } from "./datastore/port.ts";

/** Chooses the slice that a node has already, or else the lowest free one with an address to hand out. */
export function chooseSlice(
  range: PoolRange & { readonly sliceLength: number },
  node: string,
  taken: readonly Slice[],
): Slice | undefined {
  const own = taken.find((slice) => slice.node === node && range.prefix.contains(slice.prefix));
  if (own !== undefined) return own;
  const parts = range.prefix.subdivide(range.sliceLength);
  const others = RangeSet.of(taken.map(({ prefix }) => prefix));
  const prefix = lowestFreePrefix(parts, others, uselessSlices(range, parts.at(0n).size));
  return prefix && { node, prefix };
}

/** Returns the addresses of a slice that the node may hand out; undefined when there are none. */
export function windowOf({ window }: PoolRange, { prefix }: Slice): AddressRange | undefined {
  return window.intersect(prefix);
}

/** Returns the slices without any address that may be handed out. */
function uselessSlices({ prefix, window, excluded }: PoolRange, size: bigint): RangeSet {
  const whole = prefix.toRange();
  const withheld = RangeSet.of([prefix]).remove(window).union(excluded);
  const within = [...withheld].flatMap((range) => whole.intersect(range) ?? []);
  return RangeSet.of(within.flatMap((range) => wholeSlices(range, prefix, size) ?? []));
}

function wholeSlices(range: Span, { first: base }: Prefix, size: bigint): Span | undefined {
  const start = range.first.value - base.value;
  const end = range.last.value - base.value + 1n;
  const firstWhole = ((start + size - 1n) / size) * size;
  const lastWhole = (end / size) * size;
  if (firstWhole >= lastWhole) return undefined;
  const at = (offset: bigint): Address => base.plus(offset);
  return AddressRange.of(at(firstWhole), at(lastWhole - 1n));
}

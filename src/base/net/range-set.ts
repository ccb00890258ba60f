import { Address } from "./address.ts";
import { type Family, families } from "./family.ts";
import { type Interval, Intervals, type Seeker } from "./intervals.ts";
import { Prefix, type SubdividedPrefix } from "./prefix.ts";
import { AddressRange, type Span, spanOf } from "./range.ts";

/** The addresses that a search for free ones has to skip. */
export interface Taken {
  seeker(family: Family): Seeker;
}

/** A set of addresses, of either family or both, kept as ranges. Immutable; a change is O(log n). */
export class RangeSet implements Taken, Iterable<AddressRange> {
  static readonly empty = new RangeSet({ IPv4: Intervals.empty, IPv6: Intervals.empty });

  readonly #intervals: Readonly<Record<Family, Intervals>>;

  private constructor(intervals: Readonly<Record<Family, Intervals>>) {
    this.#intervals = intervals;
  }

  /** Makes a set of addresses, ranges and prefixes in any order; fastest when they come in order. */
  static of(this: void, items: Iterable<Address | Span>): RangeSet {
    const found: Record<Family, Interval[]> = { IPv4: [], IPv6: [] };
    for (const item of items) {
      const { first, last } = spanOf(item);
      found[first.family].push({ first: first.value, last: last.value });
    }
    return new RangeSet({ IPv4: Intervals.from(found.IPv4), IPv6: Intervals.from(found.IPv6) });
  }

  /** The number of addresses. */
  get size(): bigint {
    return this.#intervals.IPv4.size + this.#intervals.IPv6.size;
  }

  contains(item: Address | Span): boolean {
    const { first, last } = spanOf(item);
    const found = this.seeker(first.family)(first.value);
    return found !== undefined && found.first <= first.value && last.value <= found.last;
  }

  overlaps(span: Span): boolean {
    const found = this.seeker(span.first.family)(span.first.value);
    return found !== undefined && found.first <= span.last.value;
  }

  add(item: Address | Span): RangeSet {
    const { first, last } = spanOf(item);
    return this.#with(first.family, this.#intervals[first.family].add(first.value, last.value));
  }

  remove(item: Address | Span): RangeSet {
    const { first, last } = spanOf(item);
    return this.#with(first.family, this.#intervals[first.family].remove(first.value, last.value));
  }

  union(other: RangeSet): RangeSet {
    return [...other].reduce<RangeSet>((union, range) => union.add(range), this);
  }

  subtract(other: RangeSet): RangeSet {
    return [...other].reduce<RangeSet>((rest, range) => rest.remove(range), this);
  }

  /** The ranges in order, IPv4 first; no two of them touch. */
  *[Symbol.iterator](): Iterator<AddressRange> {
    for (const family of families) {
      for (const { first, last } of this.#intervals[family]) {
        yield AddressRange.of(Address.of(family, first), Address.of(family, last));
      }
    }
  }

  seeker(family: Family): Seeker {
    return this.#intervals[family].seeker();
  }

  #with(family: Family, intervals: Intervals): RangeSet {
    return new RangeSet({ ...this.#intervals, [family]: intervals });
  }
}

/** The addresses that an allocator has given out: a `RangeSet` that changes in place. */
export class AddressTree implements Taken {
  #taken: RangeSet;

  constructor(taken: Iterable<Address | Span> = []) {
    this.#taken = RangeSet.of(taken);
  }

  get size(): bigint {
    return this.#taken.size;
  }

  contains(item: Address | Span): boolean {
    return this.#taken.contains(item);
  }

  /** Adds addresses; false when all of them were there already. */
  add(item: Address | Span): boolean {
    return this.#become(this.#taken.add(item));
  }

  /** Removes addresses; false when none of them was there. */
  delete(item: Address | Span): boolean {
    return this.#become(this.#taken.remove(item));
  }

  lowestFree(within: Span, ...excluded: readonly Taken[]): Address | undefined {
    return lowestFree(within, this.#taken, ...excluded);
  }

  seeker(family: Family): Seeker {
    return this.#taken.seeker(family);
  }

  /** The addresses taken now; later changes do not show in it. */
  snapshot(): RangeSet {
    return this.#taken;
  }

  #become(taken: RangeSet): boolean {
    const changed = taken.size !== this.#taken.size;
    this.#taken = taken;
    return changed;
  }
}

/** The lowest address of a span that none of the sets contains. */
export function lowestFree(within: Span, ...taken: readonly Taken[]): Address | undefined {
  return lowestFreeBlock(within, 1n, taken);
}

/** The lowest part of a subdivided prefix that overlaps none of the sets. */
export function lowestFreePrefix(
  parts: SubdividedPrefix,
  ...taken: readonly Taken[]
): Prefix | undefined {
  const first = lowestFreeBlock(parts.whole, parts.at(0n).size, taken);
  return first === undefined ? undefined : Prefix.of(first, parts.length);
}

/** Finds the lowest free block by leaping over taken ranges: the cost grows with these, not the span. */
function lowestFreeBlock(within: Span, size: bigint, taken: readonly Taken[]): Address | undefined {
  const { family } = within.first;
  const seekers = taken.map((set) => set.seeker(family));
  let candidate = roundUp(within.first.value, size);
  for (let agreed = 0; agreed < seekers.length; ) {
    for (const seek of seekers) {
      const next = seek(candidate);
      if (next === undefined || next.first - candidate >= size) {
        agreed++;
      } else {
        candidate = roundUp(next.last + 1n, size);
        agreed = 0;
      }
      if (agreed === seekers.length) break;
    }
    if (candidate > within.last.value) return undefined;
  }
  return candidate + size - 1n <= within.last.value ? Address.of(family, candidate) : undefined;
}

function roundUp(value: bigint, size: bigint): bigint {
  const rest = value & (size - 1n);
  return rest === 0n ? value : value - rest + size;
}

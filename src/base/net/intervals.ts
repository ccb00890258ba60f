/** The integers from first to last, both included. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** Finds the lowest interval that does not end below a value; values must be growing from call to call. */
export type Seeker = (value: bigint) => Interval | undefined;

/**
 * A set of integers, kept as the longest intervals it consists of, in order.
 *
 * It is persistent: the intervals lie in leaves of a few hundred, and a change copies the leaf it
 * falls into and the list of leaves, and shares the rest with the set before.
 */
export class Intervals {
  static readonly empty = new Intervals([], 0n);

  readonly size: bigint;
  readonly #leaves: readonly Leaf[];

  private constructor(leaves: readonly Leaf[], size: bigint) {
    this.#leaves = leaves;
    this.size = size;
  }

  /** Makes a set of intervals in any order, overlapping or not; fastest when they come in order. */
  static from(intervals: readonly Interval[]): Intervals {
    const joined = joinTouching(intervals.toSorted(byFirst));
    return new Intervals(cutIntoLeaves(joined, leafLimit / 2), sizeOf(joined));
  }

  add(first: bigint, last: bigint): Intervals {
    const around = this.#around(first - 1n, last + 1n);
    const low = around.touched[0]?.first ?? first;
    const high = around.touched.at(-1)?.last ?? last;
    return this.#replace(around, [{ first: min(low, first), last: max(high, last) }]);
  }

  remove(first: bigint, last: bigint): Intervals {
    const around = this.#around(first, last);
    const low = around.touched[0]?.first ?? first;
    const high = around.touched.at(-1)?.last ?? last;
    const rest: Interval[] = [];
    if (low < first) rest.push({ first: low, last: first - 1n });
    if (high > last) rest.push({ first: last + 1n, last: high });
    return this.#replace(around, rest);
  }

  seeker(): Seeker {
    let leaf = this.#leaves[0] ?? [];
    let index = 0;
    return (value) => {
      if (isBelow(leaf[index], value)) index++;
      if (isBelow(leaf[index], value)) {
        leaf = this.#leaves[leading(this.#leaves, (one) => isBelow(one.at(-1), value))] ?? [];
        index = leading(leaf, (interval) => interval.last < value);
      }
      return leaf[index];
    };
  }

  *[Symbol.iterator](): Iterator<Interval> {
    for (const leaf of this.#leaves) yield* leaf;
  }

  #around(first: bigint, last: bigint): Surroundings {
    const leaves = this.#leaves;
    const below = leading(leaves, (leaf) => isBelow(leaf.at(-1), first));
    const start = Math.max(0, Math.min(below, leaves.length - 1));
    const reached = leading(leaves, (leaf) => startsUpTo(leaf[0], last));
    // A leaf that has become small is joined with the next one.
    const least = (leaves[start]?.length ?? 0) < leafLimit / 8 ? 2 : 1;
    const end = Math.max(reached, start + least);
    const intervals = end - start === 1 ? (leaves[start] ?? []) : leaves.slice(start, end).flat();
    const from = leading(intervals, (interval) => interval.last < first);
    const to = leading(intervals, (interval) => interval.first <= last);
    return { start, end, intervals, from, touched: intervals.slice(from, to) };
  }

  #replace(around: Surroundings, replacement: readonly Interval[]): Intervals {
    const { start, end, intervals, from, touched } = around;
    const changed = intervals.toSpliced(from, touched.length, ...replacement);
    const pieces = Math.ceil(changed.length / leafLimit);
    const leaves = this.#leaves.toSpliced(
      start,
      end - start,
      ...cutIntoLeaves(changed, Math.ceil(changed.length / pieces)),
    );
    return new Intervals(leaves, this.size - sizeOf(touched) + sizeOf(replacement));
  }
}

type Leaf = readonly Interval[];

/** The leaves from `start` to before `end`, flattened, and the intervals of them that a change touches. */
interface Surroundings {
  readonly start: number;
  readonly end: number;
  readonly intervals: readonly Interval[];
  readonly from: number;
  readonly touched: readonly Interval[];
}

const leafLimit = 256;

function cutIntoLeaves(intervals: readonly Interval[], length: number): Leaf[] {
  const leaves: Leaf[] = [];
  for (let start = 0; start < intervals.length; start += length) {
    leaves.push(intervals.slice(start, start + length));
  }
  return leaves;
}

function byFirst(a: Interval, b: Interval): number {
  if (a.first === b.first) return 0;
  return a.first < b.first ? -1 : 1;
}

function joinTouching(ordered: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const interval of ordered) {
    const before = joined.at(-1);
    // Subtraction is much cheaper than adding one: a small difference is a small integer.
    if (before === undefined || interval.first - before.last > 1n) {
      joined.push(interval);
    } else if (interval.last > before.last) {
      joined[joined.length - 1] = { first: before.first, last: interval.last };
    }
  }
  return joined;
}

/** The number of leading items that satisfy a condition which no later one does (binary search). */
function leading<T>(list: readonly T[], condition: (item: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(list[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBelow(interval: Interval | undefined, value: bigint): boolean {
  return interval === undefined || interval.last < value;
}

function startsUpTo(interval: Interval | undefined, value: bigint): boolean {
  return interval === undefined || interval.first <= value;
}

function sizeOf(intervals: readonly Interval[]): bigint {
  let size = BigInt(intervals.length);
  for (const { first, last } of intervals) if (first !== last) size += last - first;
  return size;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

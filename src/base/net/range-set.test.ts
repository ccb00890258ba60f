import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Address } from "./address.ts";
import { bitsOf, type Family } from "./family.ts";
import { Prefix } from "./prefix.ts";
import { AddressRange } from "./range.ts";
import { AddressTree, lowestFree, lowestFreePrefix, RangeSet } from "./range-set.ts";
import { anyAddress, anyFamily, anyPrefix, anyRange } from "./testing/arbitraries.ts";

// The model is one flag per address of a window, which lies anywhere in a family, also at its ends.
const windowSize = 2048;

const anyWindow = anyFamily.chain((family) => {
  const top = (1n << BigInt(bitsOf(family))) - BigInt(windowSize);
  return fc
    .oneof(fc.constantFrom(0n, top), fc.bigInt({ min: 0n, max: top }))
    .map((start) => windowAt(family, start));
});

const anyChange = fc.record({
  kind: fc.constantFrom("add", "add", "remove"),
  offset: fc.nat(windowSize - 1),
  length: fc.oneof(
    { arbitrary: fc.constant(1), weight: 19 },
    { arbitrary: fc.nat(300), weight: 1 },
  ),
});

test("[NET-4] a set of ranges holds what a flag for each address holds", () => {
  const changes = fc.array(anyChange, { minLength: 1500, maxLength: 2500 });
  fc.assert(
    fc.property(anyWindow, changes, (window, list) => {
      const flags = new Uint8Array(windowSize);
      const tree = new AddressTree();
      for (const { kind, offset, length } of list) {
        const end = Math.min(offset + Math.max(length, 1), windowSize);
        const differs = flags.subarray(offset, end).includes(kind === "add" ? 0 : 1);
        const range = window.range(offset, end - 1);
        assert.equal(kind === "add" ? tree.add(range) : tree.delete(range), differs);
        flags.fill(kind === "add" ? 1 : 0, offset, end);
      }
      assertSame(tree.snapshot(), flags, window);
      const built = RangeSet.of(shuffled(window.addressesOf(flags)));
      assert.equal([...built].join(" "), [...tree.snapshot()].join(" "));
      const free = flags.indexOf(0);
      assert.deepEqual(
        tree.lowestFree(window.whole),
        free < 0 ? undefined : window.whole.first.plus(BigInt(free)),
      );
    }),
    { numRuns: 15, endOnFailure: true },
  );
});

test("[NET-4] the lowest free address is in none of the sets, and all below it are in one", () => {
  const few = fc.array(anyChange, { maxLength: 60, size: "max" });
  fc.assert(
    fc.property(anyWindow, fc.array(few, { maxLength: 4 }), (window, lists) => {
      const sets = lists.map((list) =>
        RangeSet.of(
          list.map(({ offset, length }) => window.range(offset % 64, (offset % 64) + (length % 8))),
        ),
      );
      const found = lowestFree(window.whole, ...sets);
      assert.ok(found !== undefined && window.whole.contains(found));
      assert.ok(!sets.some((set) => set.contains(found)));
      for (
        let address = window.whole.first;
        address.compare(found) < 0;
        address = address.plus(1n)
      ) {
        assert.ok(sets.some((set) => set.contains(address)));
      }
    }),
  );
});

test("[NET-4] the lowest free part of a prefix overlaps nothing, and all below it are taken", () => {
  fc.assert(
    fc.property(
      anyFamily,
      fc.integer({ min: 0, max: 6 }),
      fc.array(anyChange),
      (family, bits, list) => {
        const window = windowAt(family, BigInt(windowSize) * 7n);
        const whole = Prefix.of(window.whole.first, bitsOf(family) - 11);
        const parts = whole.subdivide(bitsOf(family) - bits);
        const taken = RangeSet.of(
          list.map(({ offset, length }) =>
            window.range(offset % 128, (offset % 128) + (length % 40)),
          ),
        );
        const expected = Array.from({ length: Number(parts.count) }, (_, n) => parts.at(BigInt(n)));
        assert.deepEqual(
          lowestFreePrefix(parts, taken),
          expected.find((part) => !taken.overlaps(part)),
        );
      },
    ),
  );
});

test("union and difference hold what one set, the other, or only the first holds", () => {
  const anyItem = fc.oneof(anyAddress(), anyRange(), anyPrefix());
  const anySet = fc.array(anyItem).map((items) => ({ items, set: RangeSet.of(items) }));
  fc.assert(
    fc.property(anySet, anySet, fc.array(anyAddress()), (a, b, more) => {
      const union = a.set.union(b.set);
      const rest = a.set.subtract(b.set);
      const edges = [...a.set, ...b.set].flatMap((range) => [range.first, range.last]);
      for (const address of [...edges, ...more]) {
        assert.equal(union.contains(address), a.set.contains(address) || b.set.contains(address));
        assert.equal(rest.contains(address), a.set.contains(address) && !b.set.contains(address));
      }
      assert.equal(union.size, rest.size + b.set.size);
      assert.deepEqual([...union], [...RangeSet.of([...a.items, ...b.items])]);
      for (const item of a.items) assert.ok(a.set.contains(item));
    }),
  );
});

test("a set is not changed by what is made from it", () => {
  const before = RangeSet.of([Prefix.parse("10.0.0.0/30")]);
  const tree = new AddressTree(before);
  assert.equal(before.add(Address.parse("10.0.0.4")).size, 5n);
  assert.equal(before.remove(Address.parse("10.0.0.1")).size, 3n);
  const snapshot = tree.snapshot();
  assert.ok(tree.delete(Address.parse("10.0.0.0")));
  assert.ok(!tree.contains(Address.parse("10.0.0.0")));
  assert.equal(tree.size, 3n);
  assert.deepEqual([...snapshot].map(String), ["10.0.0.0-10.0.0.3"]);
  assert.deepEqual([...before].map(String), ["10.0.0.0-10.0.0.3"]);
});

test("a set may hold both families, and a search sees only its own", () => {
  const set = RangeSet.of([Prefix.parse("::/0"), Prefix.parse("10.0.0.0/31")]);
  assert.equal(lowestFree(Prefix.parse("10.0.0.0/8"), set)?.toString(), "10.0.0.2");
  assert.equal(lowestFree(Prefix.parse("fd00::/8"), set), undefined);
  assert.equal(lowestFree(Prefix.parse("fd00::/8"), RangeSet.empty)?.toString(), "fd00::");
  assert.equal(lowestFree(Prefix.parse("fd00::/8"))?.toString(), "fd00::");
});

test("[NET-4] all of IPv6 can be taken, and given back", () => {
  const everything = Prefix.parse("::/0");
  const tree = new AddressTree([everything]);
  assert.equal(tree.size, 1n << 128n);
  assert.equal(tree.lowestFree(everything), undefined);
  tree.delete(everything.last);
  assert.ok(tree.lowestFree(everything)?.equals(everything.last));
  tree.delete(everything);
  assert.equal(tree.size, 0n);
  assert.ok(tree.lowestFree(everything)?.equals(everything.first));
});

function windowAt(family: Family, start: bigint) {
  const at = (offset: number) => Address.of(family, start + BigInt(offset));
  const range = (first: number, last: number) => AddressRange.of(at(first), at(last));
  const addressesOf = (flags: Uint8Array) => [...flags.keys()].filter((n) => flags[n]).map(at);
  return { whole: range(0, windowSize - 1), range, addressesOf };
}

function assertSame(set: RangeSet, flags: Uint8Array, window: ReturnType<typeof windowAt>): void {
  const runs = [...flags.join("").matchAll(/1+/g)];
  const expected = runs.map((run) => window.range(run.index, run.index + run[0].length - 1));
  assert.equal([...set].join(" "), expected.join(" "));
  assert.equal(set.size, BigInt(window.addressesOf(flags).length));
}

/** A shuffled copy of a list, always in the same order. */
function shuffled<T>(list: readonly T[]): T[] {
  const key = (index: number) => (index * 7919) % 65537;
  const keyed = list.map((item, index) => ({ item, key: key(index) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

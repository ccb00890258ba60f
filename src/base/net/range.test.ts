import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Address } from "./address.ts";
import { AddressRange } from "./range.ts";
import { anyAddress, anyPrefix, anyRange } from "./testing/arbitraries.ts";

test("[NET-1] a range is written as two canonical addresses", () => {
  const range = AddressRange.parse("FD00:0::0001-fd00::000f");
  assert.equal(range.toString(), "fd00::1-fd00::f");
  assert.equal(JSON.stringify(range), '"fd00::1-fd00::f"');
  assert.equal(range.family, "IPv6");
  assert.equal(range.size, 15n);
});

const refused: [text: string, message: string][] = [
  ["10.0.0.1", 'Cannot parse range "10.0.0.1": it is not two addresses with a "-" between them'],
  ["1-2-3", 'Cannot parse range "1-2-3": it is not two addresses with a "-" between them'],
  ["10.0.0.1-", 'Cannot parse address "": it is empty'],
  ["x-10.0.0.1", 'Cannot parse address "x": "x" is not expected at position 1'],
  ["10.0.0.1-fd00::1", "Cannot make range 10.0.0.1-fd00::1: its families differ"],
  ["10.0.0.2-10.0.0.1", "Cannot make range 10.0.0.2-10.0.0.1: it ends before it starts"],
];
for (const [text, message] of refused) {
  test(`[NET-1] ${text} is no range`, () => {
    assert.throws(() => AddressRange.parse(text), { name: "InvalidAddressError", message });
  });
}

test("a range that was made is read back from its text", () => {
  fc.assert(
    fc.property(anyRange(), (range) => {
      fc.pre([range.first, range.last].every(({ value }) => value >> 32n !== 0xffffn));
      assert.ok(AddressRange.parse(range.toString()).equals(range));
    }),
  );
});

test("a range contains what lies between its ends, in its family", () => {
  fc.assert(
    fc.property(anyRange(), fc.oneof(anyAddress(), anyRange(), anyPrefix()), (range, other) => {
      const [first, last] = other instanceof Address ? [other, other] : [other.first, other.last];
      const inside = (address: Address) =>
        address.family === range.family &&
        address.compare(range.first) >= 0 &&
        address.compare(range.last) <= 0;
      assert.equal(range.contains(other), inside(first) && inside(last));
    }),
  );
});

test("what two ranges share is what both contain", () => {
  fc.assert(
    fc.property(anyRange(), fc.oneof(anyRange(), anyPrefix()), (range, other) => {
      const shared = range.intersect(other);
      assert.equal(range.overlaps(other), shared !== undefined);
      if (shared === undefined) {
        assert.ok(!range.contains(other.first) && !range.contains(other.last));
        return;
      }
      assert.ok(range.contains(shared) && other.contains(shared));
      for (const edge of [shared.first, shared.last]) {
        assert.ok(
          [range.first, range.last, other.first, other.last].some((end) => end.equals(edge)),
        );
      }
    }),
  );
});

test("[NET-4] a range may be the whole of IPv6", () => {
  const whole = AddressRange.parse("::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  assert.equal(whole.size, 1n << 128n);
});

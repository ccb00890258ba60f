import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Prefix } from "../net/prefix.ts";
import { RangeSet } from "../net/range-set.ts";
import { lowestFree } from "./seek.ts";

const range = Prefix.parse("10.0.0.0/26");
const offsets = fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 70 });

test("[IPAM-4] the lowest free address is the first that is in no set", () => {
  fc.assert(
    fc.property(fc.array(offsets, { maxLength: 3 }), (sets) => {
      const seekers = sets.map((set) =>
        RangeSet.of(set.map((offset) => range.at(BigInt(offset)))).seeker("IPv4"),
      );
      const taken = new Set(sets.flat());
      const expected = Array.from({ length: 64 }, (_, index) => index).find((n) => !taken.has(n));
      const found = lowestFree(range, seekers);
      assert.equal(
        found?.offsetFrom(range.first),
        expected === undefined ? undefined : BigInt(expected),
      );
    }),
  );
});

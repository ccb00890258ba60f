import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nodeParts } from "../../../base/net/node-cidr-sizes.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { lowestFreePrefix } from "../../../base/net/range-set.ts";
import { TakenPrefixes } from "./taken-prefixes.ts";

const lengths = [
  ["10.20.0.0/16", 24],
  ["10.20.30.0/24", 24],
  ["fd00:10:20::/48", 64],
  ["fd00:10:20::/56", 64],
  ["fd00:10:20::/57", 73],
  ["fd00:10:20::/72", 88],
  ["fd00:10:20::/110", 120],
  ["fd00:10:20::/122", 122],
] as const;

for (const [cidr, length] of lengths) {
  test(`[NODE-1] a node's part of ${cidr} is a /${length}`, () => {
    assert.deepEqual(
      nodeParts([Prefix.parse(cidr)]).map((part) => part.length),
      [length],
    );
  });
}

test("[NODE-1] both sizes can be set", () => {
  const cidrs = ["fd00:10:20::/56", "10.20.0.0/16"].map(Prefix.parse);
  const parts = nodeParts(cidrs, { IPv4: 26, IPv6: 80 });
  assert.deepEqual(
    parts.map((part) => part.at(1n).toString()),
    ["fd00:10:20:0:1::/80", "10.20.0.64/26"],
  );
});

test("[NODE-1] a size that is no part of the range is refused, naming it and the option", () => {
  const cidr = Prefix.parse("10.0.0.0/26");
  assert.throws(() => nodeParts([cidr]), /10\.0\.0\.0\/26.*\/24.*--node-cidr-mask-size-ipv4/);
  assert.throws(() => nodeParts([cidr], { IPv4: 32 }), /\/32/);
});

const step = fc.record({
  node: fc.integer({ min: 0, max: 11 }),
  joins: fc.boolean(),
  /** A prefix of any size that another writer has put into a node. */
  foreign: fc.option(fc.integer({ min: 0, max: 63 }), { freq: 6 }),
});

test("[NODE-1] [NODE-2] nodes that come and go never share addresses, and what is freed is used again", () => {
  const whole = Prefix.parse("fd00::/120");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const part = whole.subdivide(123);
      const taken = new TakenPrefixes();
      const given = new Map<number, Prefix>();
      for (const { node, joins, foreign } of steps) {
        if (!joins) {
          taken.put(`node ${node}`, []);
          given.delete(node);
        } else if (!given.has(node)) {
          const own = foreign === null ? undefined : whole.subdivide(126).at(BigInt(foreign));
          const isUsable =
            own !== undefined && [...given.values()].every((each) => !each.overlaps(own));
          const prefix = isUsable ? own : lowestFreePrefix(part, taken.taken);
          if (prefix === undefined) {
            const free = Array.from({ length: 8 }, (_, n) => part.at(BigInt(n))).filter((each) =>
              [...given.values()].every((other) => !other.overlaps(each)),
            );
            assert.deepEqual(free, [], "only when there is none");
            continue;
          }
          // A prefix named by two sources, as by the node and by its reservation.
          taken.put(`node ${node}`, [prefix]);
          taken.put(`lease ${node}`, [prefix]);
          taken.put(`lease ${node}`, []);
          for (const other of given.values()) assert.ok(!other.overlaps(prefix));
          given.set(node, prefix);
        }
      }
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Prefix } from "../../../base/net/prefix.ts";
import { IpamError } from "../errors.ts";
import { parseSliceLength } from "./slice-size.ts";

const cases: [text: string, range: string, length: number | undefined][] = [
  ["/27", "10.0.0.0/8", 27],
  ["27", "10.0.0.0/8", 27],
  ["/10", "10.0.0.0/8", 10],
  ["/27,/120", "fd00::/64", 120],
  ["/27, /120", "10.0.0.0/16", 27],
  ["/27", "fd00::/64", 123],
  ["/120", "10.0.0.0/16", 24],
  ["/28", "2001:db8::/20", 28],
  ["/28,/64", "2001:d00::/24", 64],
  ["/8", "10.0.0.0/10", undefined],
  ["/60", "fd00::/64", undefined],
  ["/0", "fd00::/64", undefined],
  ["/129", "fd00::/64", undefined],
  ["large", "10.0.0.0/10", undefined],
];

for (const [text, range, length] of cases) {
  test(`[IPAM-12] slices of ${text} of ${range}: ${length ?? "refused"}`, () => {
    const parse = () => parseSliceLength(text, Prefix.parse(range), "ipam.node_slice_size");
    if (length !== undefined) return assert.equal(parse(), length);
    assert.throws(parse, (error) => error instanceof IpamError && error.code === 7);
  });
}

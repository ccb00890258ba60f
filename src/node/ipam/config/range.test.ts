import assert from "node:assert/strict";
import { test } from "node:test";
import { IpamError } from "../errors.ts";
import { canonicalRanges, type RangeFields } from "./canonical.ts";
import { Fields } from "./fields.ts";
import { parseRange } from "./range.ts";

function parse(fields: RangeFields) {
  const warnings: string[] = [];
  const { gateway, ...old } = fields;
  const written = gateway === undefined ? old : { ipRanges: [fields] };
  const [canonical] = canonicalRanges(new Fields(written, "ipam"));
  assert.ok(canonical);
  const range = parseRange(canonical, (message) => warnings.push(message));
  return { range, warnings };
}

const windows: [fields: RangeFields, prefix: string, window: string, warnings: number][] = [
  [{ range: "192.168.21.100/30" }, "192.168.21.100/30", "192.168.21.101-192.168.21.102", 0],
  [{ range: "192.168.2.200/27" }, "192.168.2.192/27", "192.168.2.193-192.168.2.222", 0],
  [
    { range: "192.168.2.200/24", range_start: "192.168.1.150", range_end: "192.168.3.100" },
    "192.168.2.0/24",
    "192.168.2.1-192.168.2.254",
    2,
  ],
  [
    { range: "192.168.0.0/29", range_start: "192.168.0.0", range_end: "192.168.0.8" },
    "192.168.0.0/29",
    "192.168.0.1-192.168.0.6",
    1,
  ],
  [
    { range: "192.168.2.0/24", range_start: "192.168.2.7" },
    "192.168.2.0/24",
    "192.168.2.7-192.168.2.254",
    0,
  ],
  [
    { range: "192.168.2.0/24", range_start: "192.168.2.100", range_end: "192.168.2.50" },
    "192.168.2.0/24",
    "192.168.2.100-192.168.2.254",
    1,
  ],
  [
    {
      range: "2001:db8:abcd:12::/64",
      range_start: "2001:db8:abcd:12::100",
      range_end: "2001:db8:abcd:12::50",
    },
    "2001:db8:abcd:12::/64",
    "2001:db8:abcd:12::100-2001:db8:abcd:12:ffff:ffff:ffff:ffff",
    1,
  ],
  [
    { range: "192.168.2.0/24", range_start: "192.168.3.1", range_end: "192.168.2.9" },
    "192.168.2.0/24",
    "192.168.2.1-192.168.2.9",
    1,
  ],
  [
    { range: "192.168.2.0/24", range_end: "fd00::1" },
    "192.168.2.0/24",
    "192.168.2.1-192.168.2.254",
    1,
  ],
  [{ range: "192.168.1.25-192.168.1.5/24" }, "192.168.1.0/24", "192.168.1.25-192.168.1.254", 1],
  [{ range: "2001::/116" }, "2001::/116", "2001::1-2001::fff", 0],
  [{ range: "192.168.21.100/31" }, "192.168.21.100/31", "192.168.21.100-192.168.21.101", 0],
  [{ range: "192.168.21.100/32" }, "192.168.21.100/32", "192.168.21.100-192.168.21.100", 0],
  [{ range: "fd00::2/127" }, "fd00::2/127", "fd00::2-fd00::3", 0],
  [{ range: "fd00::7/128" }, "fd00::7/128", "fd00::7-fd00::7", 0],
  [{ range: "192.168.1.5-192.168.1.25/24" }, "192.168.1.0/24", "192.168.1.5-192.168.1.25", 0],
  [{ range: "fd00::5-fd00::9/64" }, "fd00::/64", "fd00::5-fd00::9", 0],
  [{ range: "00192.00168.1.0/24" }, "192.168.1.0/24", "192.168.1.1-192.168.1.254", 1],
  [
    { range: "2001:DB8:0::/32" },
    "2001:db8::/32",
    "2001:db8::1-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    0,
  ],
];

for (const [fields, prefix, window, warnings] of windows) {
  const shown = Object.values(fields).join(" ");
  test(`[IPAM-4] ${shown} hands out ${window} of ${prefix}`, () => {
    const parsed = parse(fields);
    assert.equal(parsed.range.prefix.toString(), prefix);
    assert.equal(parsed.range.window.toString(), window);
    assert.equal(parsed.warnings.length, warnings);
  });
}

const wrong: [fields: RangeFields, message: RegExp][] = [
  [{ range: "192.168.2.0/24", range_start: "192.168.2" }, /ipam.range_start "192.168.2"/],
  [{ range: "192.168.2.0/24", range_end: "soon" }, /ipam.range_end "soon"/],
  [
    { range: "192.168.1.5-192.168.2.25/28" },
    /invalid range start for CIDR 192.168.2.16\/28: 192.168.1.5/,
  ],
  [{ range: "192.168.1.0" }, /ipam.range "192.168.1.0"/],
  [
    { range: "192.168.0.0/29", exclude: ["192.168.0.1/123"] },
    /exclude range ipam.exclude\[0\] "192.168.0.1\/123"/,
  ],
  [
    { range: "100::2:1/125", exclude: ["100::2::1"] },
    /exclude range ipam.exclude\[0\] "100::2::1"/,
  ],
  [
    { range: "10.0.0.0/24", gateway: "fd00::1" },
    /ipam.ipRanges\[0\].gateway "fd00::1": it is not IPv4/,
  ],
  [{ range: "::ffff:10.0.0.0/120" }, /IPv4-mapped/],
];

for (const [fields, message] of wrong) {
  test(`[IPAM-4] refused: ${JSON.stringify(fields)}`, () => {
    assert.throws(
      () => parse(fields),
      (error) => error instanceof IpamError && error.code === 7 && message.test(error.message),
    );
  });
}

test("[IPAM-2] an exclude of the other family is ignored with a warning", () => {
  const { range, warnings } = parse({
    range: "10.0.0.0/24",
    gateway: "10.0.0.1",
    exclude: ["fd00::1", "10.0.0.9"],
  });
  assert.equal(range.excluded.size, 1n);
  assert.match(warnings.join(), /ipRanges\[0\].exclude\[0\] fd00::1 is ignored/);
});

test("[IPAM-4] a bound that is ignored is named as it was written, with what is used instead", () => {
  const { warnings } = parse({
    range: "192.168.2.0/24",
    range_start: "192.168.2.100",
    range_end: "192.168.2.50",
  });
  assert.deepEqual(warnings, [
    "ipam.range_end 192.168.2.50 is ignored: it comes before the start 192.168.2.100, 192.168.2.254 is used",
  ]);
});

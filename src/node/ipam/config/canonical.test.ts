// The tables of the dual-stack proposal: each older form of ranges becomes a list of ranges.
import assert from "node:assert/strict";
import { test } from "node:test";
import { IpamError } from "../errors.ts";
import { canonicalRanges } from "./canonical.ts";
import { Fields, type JsonObject } from "./fields.ts";

const canonical = (ipam: JsonObject) =>
  canonicalRanges(new Fields(ipam, "ipam")).map(({ fields }) => fields);

const excluding = {
  range: "192.168.2.225/28",
  exclude: ["192.168.2.229/30", "192.168.2.236/32"],
};

const cases: [form: string, given: JsonObject, expected: JsonObject[]][] = [
  ["only range", { type: "whereabouts", range: "2001::0/116" }, [{ range: "2001::0/116" }]],
  ["range with exclude", { type: "whereabouts", ...excluding }, [excluding]],
  ["only ipRanges", { type: "whereabouts", ipRanges: [excluding] }, [excluding]],
  [
    "both ipRanges and range",
    { type: "whereabouts", range: "2001::0/116", ipRanges: [excluding] },
    [excluding, { range: "2001::0/116" }],
  ],
  [
    "ips, the name on the way",
    { type: "whereabouts", ips: [excluding, { range: "2001::0/116" }] },
    [excluding, { range: "2001::0/116" }],
  ],
  [
    "secondary_range with a mixed exclude",
    {
      type: "whereabouts",
      range: "192.168.2.225/28",
      secondary_range: "2001::0/116",
      exclude: ["192.168.2.229/30", "192.168.2.236/32", "2001::0/124"],
    },
    [excluding, { range: "2001::0/116", exclude: ["2001::0/124"] }],
  ],
  [
    "secondary bounds",
    {
      range: "10.0.0.0/24",
      range_start: "10.0.0.9",
      secondary_range: "fd00::/64",
      secondary_range_start: "fd00::10",
      secondary_range_end: "fd00::20",
    },
    [
      { range: "10.0.0.0/24", range_start: "10.0.0.9" },
      { range: "fd00::/64", range_start: "fd00::10", range_end: "fd00::20" },
    ],
  ],
  [
    "an exclude of a family that only ipRanges has",
    { range: "10.0.0.0/24", exclude: ["fd00::/120"], ipRanges: [{ range: "fd00::/64" }] },
    [{ range: "fd00::/64", exclude: ["fd00::/120"] }, { range: "10.0.0.0/24" }],
  ],
  ["nothing", { type: "whereabouts" }, []],
];

for (const [form, given, expected] of cases) {
  test(`[IPAM-2] ${form} becomes ranges`, () => {
    assert.deepEqual(canonical(given), expected);
  });
}

const wrong: [what: string, given: JsonObject, message: RegExp][] = [
  [
    "a start without a range",
    { range_start: "10.0.0.1" },
    /range_start "10.0.0.1": there is no range/,
  ],
  ["an end without a range", { secondary_range_end: "::1" }, /there is no secondary_range/],
  [
    "a listed range without its range",
    { ipRanges: [{}] },
    /ipam.ipRanges\[0\].range: it must be set/,
  ],
  ["a list that is none", { ipRanges: {} }, /ipam.ipRanges: it must be a list/],
  [
    "an exclude that is no text",
    { range: "::/64", exclude: [1] },
    /exclude\[0\]: it must be a string/,
  ],
];

for (const [what, given, message] of wrong) {
  test(`[IPAM-6] ${what} is a configuration error`, () => {
    assert.throws(
      () => canonical(given),
      (error) => error instanceof IpamError && error.code === 7 && message.test(error.message),
    );
  });
}

test("[IPAM-4] fields keep the names they were written under, whichever form they become", () => {
  const names = canonicalRanges(
    new Fields(
      {
        ips: [{ range: "fd01::/64", exclude: ["fd01::1"] }],
        range: "10.0.0.0/24",
        secondary_range: "fd00::/64",
        exclude: ["fd00::1", "10.0.0.1"],
      },
      "ipam",
    ),
  ).map(({ nameOf, excludeNames }) => [nameOf("range_start"), ...excludeNames]);
  assert.deepEqual(names, [
    ["ipam.ips[0].range_start", "ipam.ips[0].exclude[0]"],
    ["ipam.range_start", "ipam.exclude[1]"],
    ["ipam.secondary_range_start", "ipam.exclude[0]"],
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { defined } from "../../base/json/defined.ts";
import { keepInStep } from "./keep-in-step.ts";

const [a, b, c] = ["192.168.111.5", "fd00:111::5", "192.168.111.99"];

const cases: readonly {
  name: string;
  list?: string[];
  singular?: string;
  result: { list?: string[]; singular?: string };
  warned?: boolean;
}[] = [
  { name: "1: only the singular", singular: a, result: { list: [a], singular: a } },
  {
    name: "1: the singular beside an empty list",
    list: [],
    singular: b,
    result: { list: [b], singular: b },
  },
  { name: "2: only the list", list: [a, b], result: { list: [a, b], singular: a } },
  {
    name: "3: the singular is the first",
    list: [a, b],
    singular: a,
    result: { list: [a, b], singular: a },
  },
  {
    name: "3: in other spellings",
    list: ["FD00:111::0:5", a],
    singular: "fd00:0111::5",
    result: { list: [b, a], singular: b },
  },
  {
    name: "4: the singular is the second",
    list: [a, b],
    singular: b,
    result: { list: [a, b], singular: a },
  },
  {
    name: "5: the singular is none of them",
    list: [a, b],
    singular: c,
    result: { list: [a, b], singular: a },
    warned: true,
  },
  { name: "nothing at all", result: {} },
];

const fields = [
  { singular: "apiServerInternalIP", plural: "apiServerInternalIPs" },
  { singular: "ingressIP", plural: "ingressIPs" },
] as const;

for (const { singular, plural } of fields) {
  const written = (value: { list?: string[]; singular?: string }) => ({
    nodeDNSIP: "192.168.111.2",
    ...defined({ [plural]: value.list, [singular]: value.singular }),
  });
  for (const { name, result, warned = false, ...given } of cases) {
    test(`[VIP-2] ${plural}, case ${name}`, () => {
      const kept = keepInStep(written(given), "status");
      assert.deepEqual(kept.status, written(result));
      const text = `${singular} (${c}) and ${plural} (${a}, ${b}) were both set and differed; ${plural} takes precedence`;
      assert.deepEqual(kept.warnings, warned ? [text] : []);
    });
  }
}

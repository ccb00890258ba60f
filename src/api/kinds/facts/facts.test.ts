import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nameRules } from "../../fields/names.ts";
import { openTable } from "../../schema/parse.ts";
import { allTypes } from "../../schema/registry.ts";
import { fillDefaults } from "./defaults.ts";
import { changeErrors, factErrors } from "./errors.ts";
import { factPlan } from "./plan.ts";

const table = openTable(
  `
Thing
  mode   1 string    enum(Fast|Slow) default(Slow)
  level  2 *string   enum(|High)
  count  3 *int32    min(0) default(1)
  port   4 int32     range(1,65535)
  owner! 5 string    name(dnsLabel) present
  sizes  6 [string]  enum(L|S)
  parts  7 [Part]
  more   8 {Part}
  fixed  9 Part      immutable
  free  10 string    known(A|B)
  open  11 Part      unchecked
  self  12 *Thing

Part
  mode 1 string enum(On|Off) default(On)
`,
  { prefix: "test" },
);
const schema = table.type("Thing") ?? assert.fail();
const plan = factPlan(schema) ?? assert.fail();
const texts = (object: Record<string, unknown>) =>
  factErrors(plan, object).map(({ type, field, detail }) => `${type} ${field} ${detail}`.trim());

test("[API-4] values outside of an enum are refused in lists, maps and nested types", () => {
  const object = {
    owner: "me",
    mode: "fast",
    level: "Low",
    sizes: ["L", "XL"],
    parts: [{ mode: "On" }, { mode: "on" }],
    more: { a: { mode: "x" } },
    self: { owner: "me", mode: "?" },
  };
  assert.deepEqual(texts(object), [
    'FieldValueNotSupported mode supported values: "Fast", "Slow"',
    'FieldValueNotSupported level supported values: "", "High"',
    'FieldValueNotSupported sizes[1] supported values: "L", "S"',
    'FieldValueNotSupported parts[1].mode supported values: "On", "Off"',
    'FieldValueNotSupported more[a].mode supported values: "On", "Off"',
    'FieldValueNotSupported self.mode supported values: "Fast", "Slow"',
  ]);
});

test("[API-4] numbers out of range, bad names and missing fields are refused", () => {
  assert.deepEqual(texts({ owner: "", count: -1, port: 70_000 }), [
    "FieldValueInvalid count must be greater than or equal to 0",
    "FieldValueInvalid port must be between 1 and 65535, inclusive",
    "FieldValueRequired owner",
  ]);
  assert.match(texts({ owner: "A" })[0] ?? "", /^FieldValueInvalid owner a lowercase RFC 1123/);
});

test("values that are only documented, and what is unchecked, pass", () => {
  assert.deepEqual(texts({ owner: "a", free: "C", open: { mode: "x" } }), []);
});

test("defaults are filled in where a value is absent; a pointer's zero is one", () => {
  const object = { owner: "a", mode: "", count: 0, parts: [{}], more: { x: {} } };
  fillDefaults(plan, object);
  assert.deepEqual(object, {
    owner: "a",
    mode: "Slow",
    count: 0,
    parts: [{ mode: "On" }],
    more: { x: { mode: "On" } },
  });
});

test("a field that is immutable stays, in whatever depth", () => {
  const old = { fixed: { mode: "On" }, self: { fixed: { mode: "On" } } };
  const object = { fixed: { mode: "Off" }, self: { fixed: {} } };
  assert.deepEqual(
    changeErrors(plan, { object, old }).map(({ field, detail }) => `${field}: ${detail}`),
    ["fixed: field is immutable", "self.fixed: field is immutable"],
  );
});

test("[API-4] any value is judged and completed without a throw", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom("mode", "parts", "more", "self", "sizes", "count"),
        fc.jsonValue(),
      ),
      (object) => {
        const copy = structuredClone(object);
        fillDefaults(plan, copy);
        factErrors(plan, copy);
        changeErrors(plan, { object: copy, old: object });
      },
    ),
  );
});

test("every name rule of the tables exists, and every default is one of its values", () => {
  for (const { schema: type, name } of allTypes()) {
    for (const [field, { schema: value }] of type.fields ?? []) {
      const { name: rule, values } = value.facts ?? {};
      assert.ok(rule === undefined || nameRules[rule] !== undefined, `${name}.${field}: ${rule}`);
      if (values === undefined || typeof value.default !== "string") continue;
      assert.ok(values.includes(value.default), `${name}.${field}`);
    }
  }
});

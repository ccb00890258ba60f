import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { JsonObject } from "../../base/json/value.ts";
import type { JSONSchemaProps } from "../types/apiextensions.ts";
import { compileCustomSchema } from "./from-openapi.ts";
import { prune } from "./prune.ts";
import { validate } from "./validate.ts";

interface Vector {
  readonly schema: JSONSchemaProps;
  readonly given: JsonObject;
  readonly stored: JsonObject;
  readonly valid: boolean;
  readonly fields?: readonly string[];
}

test("[API-1] random objects are pruned, filled and judged as the genuine server does", () => {
  const text = readFileSync(new URL("testdata/custom.jsonl", import.meta.url), "utf8");
  for (const line of text.trim().split("\n")) {
    const { schema, given, stored, valid, fields } = JSON.parse(line) as Vector;
    const custom = compileCustomSchema(schema);
    const object = custom.applyDefaults(prune(custom.schema, given));
    assert.deepEqual(object, stored, line);
    const errors = custom.validate(object);
    assert.equal(errors.length === 0, valid, line);
    if (fields !== undefined) {
      assert.deepEqual([...new Set(errors.map(({ field }) => field))].toSorted(), fields, line);
    }
  }
});

const spec = (schema: JSONSchemaProps) =>
  compileCustomSchema({ type: "object", properties: { spec: schema } });

const wrong: [JSONSchemaProps, unknown, string, string][] = [
  [{ type: "integer" }, "x", "FieldValueInvalid", 'spec in body must be of type integer: "string"'],
  [
    { type: "string", nullable: false },
    1.5,
    "FieldValueInvalid",
    'spec in body must be of type string: "number"',
  ],
  [{ type: "object", required: ["a"] }, {}, "FieldValueRequired", ""],
  [
    { type: "string", enum: ["a", "b"] },
    "c",
    "FieldValueNotSupported",
    'supported values: "a", "b"',
  ],
  [
    { type: "string", pattern: "^[a-z]+$" },
    "A",
    "FieldValueInvalid",
    "spec in body should match '^[a-z]+$'",
  ],
  [
    { type: "string", maxLength: 2 },
    "日本語",
    "FieldValueTooLong",
    "may not be more than 2 characters",
  ],
  [
    { type: "string", minLength: 2 },
    "😀",
    "FieldValueInvalid",
    "spec in body should be at least 2 chars long",
  ],
  [
    { type: "string", format: "cidr" },
    "10.0.0.0/33",
    "FieldValueInvalid",
    'spec in body must be of type cidr: "10.0.0.0/33"',
  ],
  [
    { type: "integer", minimum: 1 },
    0,
    "FieldValueInvalid",
    "spec in body should be greater than or equal to 1",
  ],
  [
    { type: "number", maximum: 1, exclusiveMaximum: true },
    1,
    "FieldValueInvalid",
    "spec in body should be less than 1",
  ],
  [
    { type: "number", multipleOf: 0.1 },
    0.25,
    "FieldValueInvalid",
    "spec in body should be a multiple of 0.1",
  ],
  [
    { type: "array", items: { type: "string" }, maxItems: 1 },
    ["a", "b"],
    "FieldValueTooMany",
    "must have at most 1 items",
  ],
  [
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ["a", "a"],
    "FieldValueDuplicate",
    "",
  ],
  [
    { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: 1, b: 1 },
    "FieldValueInvalid",
    '"spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    { type: "object", not: { required: ["a"] } },
    { a: 1 },
    "FieldValueInvalid",
    '"spec" must not validate the schema (not)',
  ],
];

for (const [schema, value, type, detail] of wrong) {
  test(`[API-4] ${JSON.stringify(value)} does not fit ${JSON.stringify(schema)}`, () => {
    const [error, ...more] = spec(schema).validate({ spec: value });
    assert.deepEqual([error?.type, error?.detail, more], [type, detail, []]);
  });
}

test("0.3 is a multiple of 0.1", () => {
  assert.deepEqual(spec({ type: "number", multipleOf: 0.1 }).validate({ spec: 0.3 }), []);
});

test("keys of a list that is a map must differ, defaults included", () => {
  const ports: JSONSchemaProps = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    items: {
      type: "object",
      required: ["port"],
      properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
    },
  };
  const custom = spec(ports);
  const object = custom.applyDefaults({ spec: [{ port: 1 }, { port: 1, protocol: "TCP" }] });
  assert.deepEqual(
    custom.validate(object).map(({ type, field }) => [type, field]),
    [["FieldValueDuplicate", "spec[1]"]],
  );
  const list = custom.schema.fields?.get("spec")?.schema;
  assert.deepEqual(list?.list, { type: "map", keys: ["port", "protocol"] });
  assert.equal(list?.items?.fields?.get("protocol")?.schema.default, "TCP");
});

test("the model knows every object's metadata, free fields and embedded objects", () => {
  const custom = spec({
    type: "object",
    properties: {
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      pod: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      port: { "x-kubernetes-int-or-string": true },
      labels: { type: "object", additionalProperties: { type: "string" } },
    },
  });
  const object = {
    apiVersion: "example.org/v1",
    kind: "Thing",
    metadata: { name: "a", labels: { x: "y" } },
    spec: {
      free: { a: 1 },
      pod: { apiVersion: "v1", kind: "Pod", spec: {} },
      port: "http",
      labels: { z: "1" },
    },
  };
  assert.deepEqual(validate(custom.schema, object), []);
  assert.equal(prune(custom.schema, object), object);
  const findings = validate(custom.schema, {
    metadata: { nmae: "a" },
    spec: { port: true, extra: 1 },
  });
  assert.deepEqual(
    findings.map(({ path }) => path),
    ["metadata.nmae", "spec.port", "spec.extra"],
  );
});

test("defaults are copies: one object's change is not another's", () => {
  const custom = spec({
    type: "object",
    properties: { list: { type: "array", items: { type: "string" }, default: ["a"] } },
  });
  const first = custom.applyDefaults({ spec: {} });
  const second = custom.applyDefaults({ spec: {} });
  assert.deepEqual(first, { spec: { list: ["a"] } });
  const lists = [first, second].map(({ spec: inner }) => (inner as { list: string[] }).list);
  assert.notEqual(lists[0], lists[1]);
});

test("[API-9] rules in expressions are evaluated where they stand, transitions by the stored value", () => {
  const custom = spec({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: {
      type: "object",
      properties: { name: { type: "string" }, size: { type: "integer" } },
      "x-kubernetes-validations": [
        { rule: "self.size > 0", message: "too small" },
        { rule: "self.size >= oldSelf.size", messageExpression: "'was ' + string(oldSelf.size)" },
      ],
    },
  });
  const errors = (now: object, old?: object) =>
    custom
      .validateRules({ spec: [now] }, old && { spec: [old] }, {})
      .map(({ field, detail }) => `${field}: ${detail}`);
  assert.deepEqual(errors({ name: "a", size: 1 }), []);
  assert.deepEqual(errors({ name: "a", size: 0 }), ["spec[0]: too small"]);
  assert.deepEqual(errors({ name: "a", size: 1 }, { name: "a", size: 2 }), ["spec[0]: was 2"]);
  assert.deepEqual(errors({ name: "b", size: 1 }, { name: "a", size: 2 }), []);
  // What was wrong before the rule existed may stay.
  assert.deepEqual(errors({ name: "a", size: 0 }, { name: "a", size: 0 }), []);
});

test("[API-4] findings of a huge wrong list are limited", () => {
  const custom = spec({ type: "array", items: { type: "string" } });
  const errors = custom.validate({ spec: Array.from({ length: 100_000 }, () => 1) });
  assert.equal(errors.length, 100);
});

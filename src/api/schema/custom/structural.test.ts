import assert from "node:assert/strict";
import test from "node:test";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";
import { structuralErrors } from "./structural.ts";

const string: JSONSchemaProps = { type: "string" };

test("a structural schema passes", () => {
  const schema: JSONSchemaProps = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        required: ["ports"],
        oneOf: [{ required: ["a"] }, { properties: { mode: { enum: ["x"] } } }],
        properties: {
          mode: { type: "string", default: "x", pattern: "^(?P<letter>x|y)\\z" },
          port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, string] },
          any: { "x-kubernetes-preserve-unknown-fields": true },
          labels: { type: "object", additionalProperties: string },
          ports: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: { type: "object", required: ["name"], properties: { name: string } },
          },
        },
      },
    },
  };
  assert.deepEqual(structuralErrors(schema, "schema"), []);
});

const refusals: [string, JSONSchemaProps, string][] = [
  ["no type", { properties: {} }, "schema.properties[x].type"],
  ["an unknown type", { type: "text" }, "schema.properties[x].type"],
  [
    "a type beside integer-or-string",
    { type: "string", "x-kubernetes-int-or-string": true },
    "schema.properties[x].type",
  ],
  ["a reference", { type: "object", $ref: "#/x" }, "schema.properties[x].$ref"],
  [
    "unique items",
    { type: "array", items: string, uniqueItems: true },
    "schema.properties[x].uniqueItems",
  ],
  [
    "closed objects",
    { type: "object", additionalProperties: false },
    "schema.properties[x].additionalProperties",
  ],
  [
    "both kinds of properties",
    { type: "object", properties: { a: string }, additionalProperties: string },
    "schema.properties[x].additionalProperties",
  ],
  ["an array of anything", { type: "array" }, "schema.properties[x].items"],
  ["a list of schemas", { type: "array", items: [string] }, "schema.properties[x].items"],
  [
    "an unknown list type",
    { type: "array", items: string, "x-kubernetes-list-type": "bag" },
    "schema.properties[x].x-kubernetes-list-type",
  ],
  [
    "keys without a map",
    { type: "array", items: string, "x-kubernetes-list-map-keys": ["a"] },
    "schema.properties[x].x-kubernetes-list-map-keys",
  ],
  [
    "a map without keys",
    { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
    "schema.properties[x].x-kubernetes-list-map-keys",
  ],
  [
    "a key that may be missing",
    {
      type: "array",
      items: { type: "object", properties: { a: string } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
    },
    "schema.properties[x].x-kubernetes-list-map-keys[0]",
  ],
  [
    "an unknown map type",
    { type: "object", "x-kubernetes-map-type": "loose" },
    "schema.properties[x].x-kubernetes-map-type",
  ],
  ["a broken pattern", { type: "string", pattern: "(" }, "schema.properties[x].pattern"],
  [
    "a default of another type",
    { type: "object", properties: { a: { type: "integer", default: "1" } } },
    "schema.properties[x].properties[a].default",
  ],
  [
    "a type in an alternative",
    { type: "object", anyOf: [{ properties: { a: string } }] },
    "schema.properties[x].anyOf[0].properties[a].type",
  ],
  [
    "a default in a negation",
    { type: "object", not: { default: {} } },
    "schema.properties[x].not.default",
  ],
];

for (const [name, schema, field] of refusals) {
  test(`[API-4] a schema with ${name} is refused`, () => {
    const errors = structuralErrors({ type: "object", properties: { x: schema } }, "schema");
    assert.deepEqual(
      errors.map((error) => error.field),
      [field],
    );
  });
}

test("[API-4] a root that is no object is refused", () => {
  assert.deepEqual(
    structuralErrors({ type: "string" }, "schema").map(({ field }) => field),
    ["schema.type"],
  );
});

import * as fc from "fast-check";
import type { JsonObject } from "../json/value.ts";
import type { Schema } from "../schema/model.ts";

const text: Schema = { type: "string" };
const number: Schema = { type: "int32" };

/** A kind with one field of every sort that apply tells apart. */
export const exampleSchema: Schema = objectOf({
  apiVersion: text,
  kind: text,
  metadata: objectOf({
    name: text,
    labels: { type: "map", items: text },
    annotations: { type: "map", items: text },
    managedFields: { type: "array", items: { type: "any" } },
  }),
  spec: objectOf({
    replicas: number,
    selector: { ...objectOf({ app: text }), atomic: true },
    args: { type: "array", items: text },
    finalizers: { type: "array", items: text, list: { type: "set" } },
    ports: {
      type: "array",
      items: objectOf({ port: number, protocol: { ...text, default: "TCP" }, name: text }),
      list: { type: "map", keys: ["port", "protocol"] },
    },
    raw: { type: "any" },
  }),
  status: objectOf({ phase: text }),
});

export function objectOf(fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields).map(([name, schema]) => [name, { schema }] as const);
  return { type: "object", fields: new Map(entries) };
}

const word = fc.constantFrom("a", "b", "c");
const labels = fc.dictionary(word, word, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

export const specs: fc.Arbitrary<JsonObject> = fc.record(
  {
    replicas: fc.integer({ min: 1, max: 3 }),
    selector: fc.record({ app: word }, { noNullPrototype: true }),
    args: fc.array(word, { maxLength: 3 }),
    finalizers: fc.uniqueArray(word, { minLength: 1 }),
    ports: fc.uniqueArray(
      fc.record(
        {
          port: fc.constantFrom(80, 443),
          protocol: fc.constantFrom("TCP", "UDP"),
          name: word,
        },
        { requiredKeys: ["port"], noNullPrototype: true },
      ),
      { minLength: 1, selector: ({ port, protocol = "TCP" }) => `${port}/${protocol}` },
    ),
    raw: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  },
  { requiredKeys: [], noNullPrototype: true },
);

export const configs: fc.Arbitrary<JsonObject> = fc
  .record({ labels, spec: specs })
  .map(({ labels: own, spec }) => ({
    apiVersion: "example.com/v1",
    kind: "Example",
    metadata: { name: "x", labels: own },
    spec,
  }));

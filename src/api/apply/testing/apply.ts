import * as fc from "fast-check";
import { jsonValues } from "../../../base/json/testing/json-values.ts";
import { isObject, type JsonObject } from "../../../base/json/value.ts";
import type { Schema } from "../../schema/model.ts";
import type { ApplyOptions } from "../apply.ts";

const text: Schema = { type: "string" };
const number: Schema = { type: "int32" };

/** The schema of a kind with one field of every sort that apply distinguishes. */
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
    // Values with null are left out: null over a map is an empty map to Kubernetes, so that the applied value
    // is gone.
    raw: jsonValues(2).filter((value) => !JSON.stringify(value).includes("null")),
  },
  { requiredKeys: [], noNullPrototype: true },
);

export const configs: fc.Arbitrary<JsonObject> = fc
  .record({ labels, spec: specs })
  .map(({ labels: own, spec }) => ({
    apiVersion,
    kind: "Example",
    metadata: { name: "x", labels: own },
    spec,
  }));

export const apiVersion = "example.com/v1";
export const blank = { apiVersion, kind: "Example", metadata: { name: "x" } };

export function by(manager: string, more: Partial<ApplyOptions> = {}): ApplyOptions {
  return { schema: exampleSchema, apiVersion, manager, now: "2026-01-01T00:00:00Z", ...more };
}

export function config(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind: "Example", metadata: { name: "x", ...metadata }, spec };
}

/** The fields of each manager: `{ "Apply a": {…} }`. */
export function owned(object: JsonObject): Record<string, unknown> {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const entries = (metadata["managedFields"] ?? []) as JsonObject[];
  return Object.fromEntries(
    entries.map((entry) => [
      `${String(entry["operation"])} ${String(entry["manager"])}`,
      entry["fieldsV1"],
    ]),
  );
}

/** Returns what the work returns or throws. */
export function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

// The types that expressions see of a custom resource's schema, with the most elements that values can have.
import { escapeName } from "../../../cel/names.ts";
import { boolType, doubleType, intType, type Type } from "../../../cel/types.ts";
import type { JSONSchemaProps } from "../../../types/apiextensions.ts";
import { isSchema } from "../json-schema.ts";

export interface Declared {
  readonly type: Type;
  /** The fewest bytes that a value takes in JSON, which limits how many fit into a request. */
  readonly minSize: number;
}

/** The largest request, in bytes. */
export const largestRequest = 3 * 1024 * 1024;

/** The sizes of values in JSON, quotation marks included. */
const least = { string: 2, duration: 3, date: 12, dateTime: 21, boolean: 4, number: 1, object: 2 };
const most = { duration: 32, date: 12, dateTime: 32, text: largestRequest - 2 };

/** Returns the type of a schema; `undefined` when expressions cannot see its values. */
export function declaredType(schema: JSONSchemaProps, isRoot: boolean): Declared | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    const max = schema.maxLength === undefined ? most.text : 4 * Math.max(0, schema.maxLength);
    return { type: { kind: "dyn", max }, minSize: 1 };
  }
  switch (schema.type) {
    case "array":
      return declaredList(schema);
    case "object":
      return declaredObject(schema, isRoot);
    case "string":
      return declaredString(schema);
    case "boolean":
      return { type: boolType, minSize: least.boolean };
    case "number":
      return { type: doubleType, minSize: least.number };
    case "integer":
      return { type: intType, minSize: least.number };
    default:
      return undefined;
  }
}

function declaredList({ items, maxItems }: JSONSchemaProps): Declared | undefined {
  const element = isSchema(items) ? inner(items) : undefined;
  if (element === undefined) return undefined;
  const fitting = Math.floor((largestRequest - 2) / (element.minSize + 1));
  const max = maxItems === undefined ? fitting : Math.max(0, maxItems);
  return { type: { kind: "list", of: element.type, max }, minSize: 2 };
}

function inner(schema: JSONSchemaProps): Declared | undefined {
  return declaredType(schema, schema["x-kubernetes-embedded-resource"] === true);
}

function declaredObject(schema: JSONSchemaProps, isRoot: boolean): Declared | undefined {
  const { additionalProperties, maxProperties } = schema;
  if (isSchema(additionalProperties)) {
    const value = inner(additionalProperties);
    if (value === undefined) return undefined;
    const fitting = Math.floor((largestRequest - 2) / (value.minSize + 6));
    const max = maxProperties === undefined ? fitting : Math.max(0, maxProperties);
    const key: Type = { kind: "string", max: most.text };
    return { type: { kind: "map", key, value: value.type, max }, minSize: 2 };
  }
  const required = new Set(schema.required);
  const fields = new Map<string, Type>();
  let minSize = least.object;
  const properties = { ...schema.properties, ...(isRoot ? rootProperties(schema) : {}) };
  for (const [name, property] of Object.entries(properties)) {
    const declared = inner(property);
    if (declared === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, declared.type);
    if (required.has(name) && property.default === undefined) {
      minSize += Buffer.byteLength(name) + declared.minSize + 4;
    }
  }
  return { type: { kind: "object", name: "object", fields }, minSize };
}

/** Returns the fields that are visible at the root of every resource, whatever its schema says. */
function rootProperties({ properties = {} }: JSONSchemaProps): Record<string, JSONSchemaProps> {
  const text: JSONSchemaProps = { type: "string" };
  const metadata = properties["metadata"];
  const isComplete =
    properties["kind"]?.type === "string" &&
    properties["apiVersion"]?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties?.["name"]?.type === "string" &&
    metadata.properties["generateName"]?.type === "string";
  if (isComplete) return {};
  const names = { name: text, generateName: text };
  return { kind: text, apiVersion: text, metadata: { type: "object", properties: names } };
}

function declaredString(schema: JSONSchemaProps): Declared {
  const { maxLength, enum: values = [] } = schema;
  const length = maxLength === undefined ? undefined : Math.max(0, maxLength);
  switch (schema.format) {
    case "byte":
      return { type: { kind: "bytes", max: length ?? most.text }, minSize: least.string };
    case "duration":
      return { type: { kind: "duration", max: most.duration }, minSize: least.duration };
    case "date":
      return { type: { kind: "timestamp", max: most.date }, minSize: least.date };
    case "date-time":
      return { type: { kind: "timestamp", max: most.dateTime }, minSize: least.dateTime };
    default: {
      const longest = Math.max(0, ...values.map((one) => Buffer.byteLength(String(one))));
      // A character takes up to four bytes.
      const max = length === undefined ? (values.length > 0 ? longest : most.text) : 4 * length;
      return { type: { kind: "string", max }, minSize: least.string };
    }
  }
}

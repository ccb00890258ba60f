// The types of objects, from the schemas of their resources.
import { escapeName } from "../../../../api/cel/names.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  type Type,
  timestampType,
} from "../../../../api/cel/types.ts";
import type { Schema } from "../../../../api/schema/model.ts";

const basic: Readonly<Partial<Record<Schema["type"], Type>>> = {
  string: stringType,
  boolean: boolType,
  int32: intType,
  int64: intType,
  double: doubleType,
  bytes: bytesType,
  time: timestampType,
  microTime: timestampType,
};

/** Returns the type of a schema; what can be of several types is dynamic. */
export function typeOfSchema(schema: Schema, depth = 0): Type {
  const known = basic[schema.type];
  if (known !== undefined) return known;
  // Schemas of custom resources may contain themselves.
  if (depth > deepest) return dynType;
  if (schema.type === "array") return listType(inner(schema, depth));
  if (schema.type === "map") return mapType(stringType, inner(schema, depth));
  if (schema.type !== "object" || schema.fields === undefined) return dynType;
  const fields = new Map<string, Type>();
  for (const [name, field] of schema.fields) {
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, typeOfSchema(field.schema, depth + 1));
  }
  const isOpen = schema.preserveUnknown === true;
  return { kind: "object", name: schema.name ?? "object", fields, ...(isOpen ? { isOpen } : {}) };
}

const deepest = 20;

function inner({ items }: Schema, depth: number): Type {
  return items === undefined ? dynType : typeOfSchema(items, depth + 1);
}

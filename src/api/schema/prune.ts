import { isObject } from "../../base/json/value.ts";
import type { Schema } from "./model.ts";
import { memberFor } from "./union.ts";

/** Removes fields that the schema does not declare; returns the same value when there are none. */
export function prune<Value>(schema: Schema, value: Value): Value {
  return rebuild(schema, value, (declared) => declared === undefined) as Value;
}

/** Removes fields that are null, which mean the same as absent ones. */
export function dropNulls<Value>(schema: Schema, value: Value): Value {
  return rebuild(schema, value, (_, field) => field === null) as Value;
}

/**
 * Replaces nulls at these paths by empty values; a path leads into every element of a list on its way.
 * Containers on the way are copied.
 */
export function emptyNulls<Value>(
  schema: Schema,
  value: Value,
  paths: readonly (readonly string[])[],
): Value {
  return paths.reduce<unknown>((all, path) => emptyAt(schema, all, path), value) as Value;
}

function emptyAt(schema: Schema | undefined, value: unknown, path: readonly string[]): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return value.map((element) => emptyAt(schema.items, element, path));
  const [name, ...rest] = path;
  if (name === undefined) return value === null ? emptyOf(schema) : value;
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const declared = schema.fields?.get(name)?.schema;
  return { ...value, [name]: emptyAt(declared, value[name], rest) };
}

function emptyOf({ type }: Schema): unknown {
  if (type === "string") return "";
  return type === "array" ? [] : {};
}

type Unwanted = (declared: Schema | undefined, value: unknown) => boolean;

/** Copies only the containers around removed fields; the rest is shared with the original. */
function rebuild(schema: Schema, value: unknown, unwanted: Unwanted): unknown {
  if (schema.wire === "union") {
    const member = memberFor(schema, value);
    return member === undefined ? value : rebuild(member, value, unwanted);
  }
  if (Array.isArray(value)) {
    const items = schema.type === "array" ? schema.items : undefined;
    if (items === undefined || isScalar(items)) return value;
    const elements = value.map((element) => rebuild(items, element, unwanted));
    return elements.every((element, index) => element === value[index]) ? value : elements;
  }
  if (!isObject(value) || (schema.type !== "object" && schema.type !== "map")) return value;
  if (schema.type === "map" && (schema.items === undefined || isScalar(schema.items))) return value;

  let changed = false;
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const declared = schema.type === "map" ? schema.items : schema.fields?.get(name)?.schema;
    const free =
      schema.type === "map" || (declared === undefined && schema.preserveUnknown === true);
    if (!free && unwanted(declared, field)) {
      changed = true;
      continue;
    }
    const rebuilt = declared === undefined ? field : rebuild(declared, field, unwanted);
    changed ||= rebuilt !== field;
    kept.push([name, rebuilt]);
  }
  return changed ? Object.fromEntries(kept) : value;
}

function isScalar(schema: Schema): boolean {
  return schema.fields === undefined && schema.items === undefined && schema.type !== "object";
}

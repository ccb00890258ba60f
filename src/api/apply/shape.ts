// The facts of a schema that server-side apply needs: which values are owned as a whole, which part by part.

import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Field, Schema } from "../schema/model.ts";
import { type Element, keyElement, valueElement } from "./element.ts";

/** The error of a value that does not fit its schema in a way that matters here. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

/** The form of a value: a leaf is owned as a whole, maps and lists by their parts. */
export type Form = "leaf" | "map" | "list";

/** The form a value has under a schema. Where the schema leaves it open, the value decides. */
export function formOf(schema: Schema, value: unknown): Form {
  if (isAtomic(schema)) return "leaf";
  if (schema.type === "array") return "list";
  if (schema.type === "object" || schema.type === "map") return "map";
  return schema.type === "any" && (isObject(value) || value === null) ? "map" : "leaf";
}

/** Whether a value is owned as a whole; a list is, unless its schema tells how to identify elements. */
export function isAtomic(schema: Schema): boolean {
  if (schema.type === "array") return schema.list === undefined || schema.list.type === "atomic";
  return schema.atomic === true;
}

export function fieldSchema(schema: Schema, name: string): Schema {
  return known(schema.fields?.get(name)?.schema ?? schema.items);
}

export function itemSchema(schema: Schema): Schema {
  return known(schema.items);
}

/** Whether the schema declares the field; the keys of a map are data, not fields. */
export function declares(schema: Schema, name: string): boolean {
  return schema.fields?.has(name) ?? false;
}

/**
 * The value that stands for an absent field: Kubernetes always writes structs by value and required lists,
 * even when empty, so nobody comes to own such a field by filling it, only its contents. Only built-in kinds
 * have these; their fields have protobuf numbers.
 */
export function absentValue(schema: Schema, name: string): unknown {
  const field = schema.fields?.get(name);
  if (field?.number === undefined || field.pointer === true) return undefined;
  if (field.schema.type === "object") return {};
  const isContainer = field.schema.type === "array" || field.schema.type === "map";
  return field.required === true && isContainer ? null : undefined;
}

/** The path element that identifies an item of a set or of a list with keys. */
export function elementOf(list: Schema, item: unknown): Element {
  if (list.list?.type === "map") return keyedElement(list, item);
  if (typeof item === "object") {
    throw new ShapeError("a set may hold only plain values");
  }
  return valueElement(item);
}

function keyedElement(list: Schema, item: unknown): Element {
  const names = list.list?.type === "map" ? list.list.keys : [];
  if (!isObject(item)) throw new ShapeError("a list with keys may hold only objects");
  const keys: JsonObject = {};
  for (const name of names) {
    const value = Object.hasOwn(item, name)
      ? item[name]
      : absentKey(itemSchema(list).fields?.get(name));
    if (value !== undefined) keys[name] = value;
  }
  if (Object.keys(keys).length === 0) {
    throw new ShapeError(`an element has none of the key fields ${names.join(", ")}`);
  }
  return keyElement(keys);
}

/** The value that an absent key stands for: its default, or the zero value where the field is required. */
function absentKey(field: Field | undefined): unknown {
  if (field === undefined) return undefined;
  if (field.schema.default !== undefined) return field.schema.default;
  return field.required === true && field.number !== undefined
    ? zeros[field.schema.type]
    : undefined;
}

const zeros: Partial<Record<Schema["type"], unknown>> = {
  string: "",
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
};

/** The schema, or `any` if nothing is known or several types are possible: then the value decides. */
function known(schema: Schema | undefined): Schema {
  return schema === undefined || schema.wire === "union" ? anything : schema;
}

const anything: Schema = { type: "any" };

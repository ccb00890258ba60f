import { isObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { describeElement, type Element, fieldElement } from "./element.ts";
import { elementOf, fieldSchema, isAtomic, itemSchema, ShapeError } from "./shape.ts";

/** The reasons why an object does not match its schema, each with its path: `.spec.foo: …`. */
export function faultsOf(schema: Schema, config: unknown): string[] {
  return [...faults(schema, config)];
}

function* faults(schema: Schema, value: unknown, path = ""): Generator<string> {
  if (value === null) return;
  if (schema.type === "object" || schema.type === "map") {
    if (isObject(value)) yield* mapFaults(schema, value, path);
    else yield `${path}: expected map, got ${JSON.stringify(value)}`;
  } else if (schema.type === "array") {
    if (Array.isArray(value)) yield* listFaults(schema, value, path);
    else yield `${path}: expected list, got ${JSON.stringify(value)}`;
  } else if (schema.type !== "any") {
    yield* scalarFaults(schema, value, path);
  }
}

function* mapFaults(schema: Schema, value: object, path: string): Generator<string> {
  for (const [name, inner] of Object.entries(value)) {
    const at = `${path}${describeElement(fieldElement(name))}`;
    if (isUnknown(schema, name)) yield `${at}: field not declared in schema`;
    else yield* faults(fieldSchema(schema, name), inner, at);
  }
}

function* listFaults(schema: Schema, items: readonly unknown[], path: string): Generator<string> {
  const seen = new Set<Element>();
  for (const [index, item] of items.entries()) {
    if (isAtomic(schema)) {
      yield* faults(itemSchema(schema), item, `${path}[${index}]`);
      continue;
    }
    const element = tryElement(schema, item);
    if (element instanceof ShapeError) {
      yield `${path}: element ${index}: ${element.message}`;
      continue;
    }
    const at = `${path}${describeElement(element)}`;
    if (seen.has(element)) {
      yield `${path}: duplicate entries for key ${describeElement(element)}`;
    }
    seen.add(element);
    yield* faults(itemSchema(schema), item, at);
  }
}

function* scalarFaults(schema: Schema, value: unknown, path: string): Generator<string> {
  const expected = scalars[schema.type];
  const type = typeof value === "bigint" ? "number" : typeof value;
  const fits = expected === undefined ? type !== "object" : type === expected;
  if (!fits) yield `${path}: expected ${schema.type}, got ${JSON.stringify(value)}`;
}

function isUnknown(schema: Schema, name: string): boolean {
  return (
    schema.type === "object" &&
    schema.preserveUnknown !== true &&
    schema.items === undefined &&
    schema.fields?.has(name) !== true
  );
}

function tryElement(schema: Schema, item: unknown): Element | ShapeError {
  try {
    return elementOf(schema, item);
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
}

/** The JSON types of scalars; others (times, quantities, numbers or text) are checked where they are read. */
const scalars: Partial<Record<Schema["type"], string>> = {
  string: "string",
  boolean: "boolean",
  int32: "number",
  int64: "number",
  double: "number",
};

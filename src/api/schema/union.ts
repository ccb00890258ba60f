import { isObject } from "../../base/json/value.ts";
import type { Schema } from "./model.ts";

/** The alternative of a union that a value belongs to, by its JSON type. */
export function memberFor(union: Schema, value: unknown): Schema | undefined {
  const type = Array.isArray(value) ? "array" : isObject(value) ? "object" : typeof value;
  return union.fields
    ?.values()
    .map((field) => field.schema)
    .find((schema) => schema.type === type);
}

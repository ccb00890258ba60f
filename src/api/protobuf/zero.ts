import { isObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";

/** Whether a value is a zero value, which Go cannot tell from an absent one. */
export function isZero(schema: Schema, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (schema.type === "any") return false;
  switch (value) {
    case "":
    case 0:
    case false:
      return true;
    case "0":
      return schema.type === "quantity";
    default:
      return schema.type === "object" && isObject(value) && isBlank(schema, value);
  }
}

function isBlank(schema: Schema, object: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(object).every(([name, value]) => {
    const field = schema.fields?.get(name);
    return field !== undefined && field.pointer !== true && isZero(field.schema, value);
  });
}

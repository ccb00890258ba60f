import { isInteger } from "../../../base/json/integer.ts";
import { isObject } from "../../../base/json/value.ts";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";

/** Whether a value is a schema: a boolean or a list may stand in its place. */
export function isSchema(value: unknown): value is JSONSchemaProps {
  return isObject(value);
}

/** Whether a value is of the type its schema names; a schema without a type accepts any. */
export function hasType(schema: JSONSchemaProps, value: unknown): boolean {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return typeof value === "string" || isInteger(value);
  }
  switch (schema.type ?? "") {
    case "":
      return true;
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return isInteger(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    default:
      return typeof value === schema.type;
  }
}

export function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

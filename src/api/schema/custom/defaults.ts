import { isObject, type JsonObject } from "../../../base/json/value.ts";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";
import { isSchema } from "./json-schema.ts";

/**
 * Fills in the defaults of the schema where fields are missing; returns the same value if none are. A null
 * where the schema does not allow one counts as missing.
 */
export function applyDefaults(schema: JSONSchemaProps, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isSchema(items)) return value;
    const elements = value.map((element) => filled(items, element) ?? null);
    return elements.every((element, index) => element === value[index]) ? value : elements;
  }
  return isObject(value) ? defaultObject(schema, value) : value;
}

function defaultObject(schema: JSONSchemaProps, value: JsonObject): JsonObject {
  const { additionalProperties, properties = {} } = schema;
  const names = new Set([...Object.keys(value), ...Object.keys(properties)]);
  let changed = false;
  const result: [string, unknown][] = [];
  for (const name of names) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const field = isSchema(inner) ? filled(inner, given) : given;
    changed ||= field !== given;
    if (field !== undefined) result.push([name, field]);
  }
  return changed ? Object.fromEntries(result) : value;
}

/** The value or, if it is missing, its default; undefined if there is neither. */
function filled(schema: JSONSchemaProps, value: unknown): unknown {
  const missing = value === undefined || (value === null && schema.nullable !== true);
  return applyDefaults(schema, missing ? structuredClone(schema.default) : value);
}

// Merges a configuration into an object without recording who owns what.
import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { merge } from "./merge.ts";
import { fieldSchema, isAtomic, itemSchema } from "./shape.ts";

/**
 * Returns the merged object; or the paths of atomic values in the configuration, which would replace what it
 * does not mention.
 */
export function mergeConfiguration(
  schema: Schema,
  live: JsonObject,
  config: JsonObject,
): { readonly merged: JsonObject } | { readonly atomic: readonly string[] } {
  const atomic = [...atomicsIn(schema, config, "")];
  return atomic.length > 0 ? { atomic } : { merged: merge(schema, live, config) };
}

function* atomicsIn(schema: Schema, value: unknown, path: string): Generator<string> {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return;
  if (isAtomic(schema)) yield path;
  if (isList) {
    for (const [index, each] of value.entries()) {
      yield* atomicsIn(itemSchema(schema), each, `${path}[${index}]`);
    }
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    yield* atomicsIn(fieldSchema(schema, name), each, `${path}.${name}`);
  }
}

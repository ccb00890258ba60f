import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { fieldElement } from "./element.ts";
import { type FieldSet, isEmpty } from "./field-set.ts";
import { elementOf, fieldSchema, formOf, itemSchema } from "./shape.ts";

/**
 * The object without the given fields and elements. A container that loses all its fields stays as an empty
 * object, since it may have been applied as such; an emptied list becomes null.
 */
export function removeFields(schema: Schema, object: JsonObject, fields: FieldSet): JsonObject {
  return removeFromMap(schema, object, fields);
}

function remove(schema: Schema, value: unknown, fields: FieldSet): unknown {
  if (isEmpty(fields)) return value;
  const form = formOf(schema, value);
  if (form === "map" && isObject(value)) return removeFromMap(schema, value, fields);
  if (form === "list" && Array.isArray(value)) return removeFromList(schema, value, fields);
  return typeof value === "object" ? null : value;
}

function removeFromMap(schema: Schema, value: JsonObject, fields: FieldSet): JsonObject {
  const kept: JsonObject = {};
  for (const name in value) {
    const set = fields.children.get(fieldElement(name));
    if (set?.member === true) continue;
    kept[name] =
      set === undefined ? value[name] : remove(fieldSchema(schema, name), value[name], set);
  }
  return kept;
}

function removeFromList(
  schema: Schema,
  items: readonly unknown[],
  fields: FieldSet,
): unknown[] | null {
  const kept: unknown[] = [];
  for (const item of items) {
    const set = fields.children.get(elementOf(schema, item));
    if (set?.member === true) continue;
    kept.push(set === undefined ? item : remove(itemSchema(schema), item, set));
  }
  return kept.length === 0 ? null : kept;
}

import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { type Element, fieldElement } from "./element.ts";
import { emptySet, type FieldSet, leaf, node } from "./field-set.ts";
import { declares, elementOf, fieldSchema, formOf, itemSchema } from "./shape.ts";

/** The fields that an object mentions: leaves, elements of lists, keys of maps, empty objects. */
export function fieldsOf(schema: Schema, object: JsonObject): FieldSet {
  return node(false, extract(schema, object).children);
}

function extract(schema: Schema, value: unknown): FieldSet {
  const form = formOf(schema, value);
  if (form === "map") return isObject(value) ? extractMap(schema, value) : emptySet;
  if (form === "list") return Array.isArray(value) ? extractList(schema, value) : emptySet;
  return leaf;
}

function extractMap(schema: Schema, value: JsonObject): FieldSet {
  const children = new Map<Element, FieldSet>();
  for (const name in value) {
    const inner = value[name];
    const set = extract(fieldSchema(schema, name), inner);
    const member = set.member || isBlank(inner) || !declares(schema, name);
    if (member || set.children.size > 0) {
      children.set(fieldElement(name), node(member, set.children));
    }
  }
  return node(false, children);
}

/** The fields of a list; elements that share their keys cannot be told apart and are owned as one leaf. */
function extractList(schema: Schema, items: readonly unknown[]): FieldSet {
  const children = new Map<Element, FieldSet>();
  for (const item of items) {
    const element = elementOf(schema, item);
    const set = children.has(element) ? leaf : extract(itemSchema(schema), item);
    children.set(element, node(true, set.children));
  }
  return node(false, children);
}

function isBlank(value: unknown): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

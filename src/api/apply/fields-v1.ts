// The FieldsV1 form of a field set in managedFields: nested objects, `.` for a path with paths below.

import { isObject, type JsonObject } from "../../base/json/value.ts";
import { type Element, readElement } from "./element.ts";
import { type FieldSet, leaf, node, sortedChildren } from "./field-set.ts";

export function encodeFields(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  for (const [element, child] of sortedChildren(set)) {
    const inner = encodeFields(child);
    fields[element] = child.member && child.children.size > 0 ? { ".": {}, ...inner } : inner;
  }
  return fields;
}

/** Parses FieldsV1; throws a SyntaxError if it is no field set, and skips unknown kinds of elements. */
export function decodeFields(fields: unknown): FieldSet {
  const { children } = decodeNode(fields);
  return node(false, children);
}

function decodeNode(fields: unknown): FieldSet {
  if (!isObject(fields)) {
    throw new SyntaxError(`Cannot read a field set: ${JSON.stringify(fields)} is no object`);
  }
  const children = new Map<Element, FieldSet>();
  let member = false;
  for (const key in fields) {
    const element = key === "." ? undefined : readElement(key);
    if (key === ".") member = true;
    if (element !== undefined) children.set(element, decodeNode(fields[key]));
  }
  if (children.size === 0) return leaf;
  return member ? { member, children } : node(false, children);
}

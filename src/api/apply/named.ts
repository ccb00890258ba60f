import type { Schema } from "../schema/model.ts";
import { type Element, fieldName } from "./element.ts";
import { type FieldSet, node } from "./field-set.ts";
import { declares, fieldSchema, itemSchema } from "./shape.ts";

/**
 * The set together with every declared field that has a path of the set below it. Sets name leaves; to remove
 * them, the structs around them must be removed as well.
 */
export function withParents(schema: Schema, set: FieldSet): FieldSet {
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of set.children) {
    if (child.children.size === 0) {
      children.set(element, child);
      continue;
    }
    const name = fieldName(element);
    const inner = withParents(
      name === undefined ? itemSchema(schema) : fieldSchema(schema, name),
      child,
    );
    const member = child.member || (name !== undefined && declares(schema, name));
    children.set(element, node(member, inner.children));
  }
  return node(set.member, children);
}

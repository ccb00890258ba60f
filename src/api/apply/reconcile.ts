import type { Schema } from "../schema/model.ts";
import { type Element, fieldName } from "./element.ts";
import { type FieldSet, leaf, node } from "./field-set.ts";
import { fieldSchema, isAtomic, itemSchema } from "./shape.ts";

/**
 * Reconciles a stored set with the current schema: an owner of parts of something that has since become
 * atomic owns the whole of it.
 */
export function reconcile(schema: Schema, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  let changed = false;
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of set.children) {
    const reconciled = reconcileChild(schemaBelow(schema, element), child);
    if (reconciled !== child) changed = true;
    children.set(element, reconciled);
  }
  return changed ? node(set.member, children) : set;
}

function reconcileChild(schema: Schema | undefined, set: FieldSet): FieldSet {
  if (schema === undefined || set.children.size === 0) return set;
  return isAtomic(schema) ? leaf : reconcile(schema, set);
}

/** The schema below an element; undefined where there is none, so that nothing can have changed. */
function schemaBelow(schema: Schema, element: Element): Schema | undefined {
  const name = fieldName(element);
  const below = name === undefined ? itemSchema(schema) : fieldSchema(schema, name);
  return below.type === "any" ? undefined : below;
}

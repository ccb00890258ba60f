// Changes of ownership by a write.

import type { JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { type Element, fieldName } from "./element.ts";
import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  leaf,
  node,
  setOf,
  union,
} from "./field-set.ts";
import { type Owner, type Owners, ownerId } from "./owners.ts";
import { fieldSchema, isAtomic, itemSchema } from "./shape.ts";
import { atVersion, comparer, type Versions } from "./version.ts";

/** The fields that a write would take from their owner. */
export interface Taken {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export interface Outcome {
  readonly owners: Owners;
  readonly taken: readonly Taken[];
  /** The fields that the write set, whether or not they were there before. */
  readonly written: FieldSet;
}

/** Computes the owners after a write: they lose fields that it removed or changed. */
export function transfer(
  owners: Owners,
  write: { before: JsonObject; after: JsonObject; versions: Versions; writer?: string },
): Outcome {
  const { before, after, versions, writer } = write;
  const compareAt = comparer(versions, before, after);
  const left = new Map<string, Owner>();
  const taken: Taken[] = [];
  for (const [id, owner] of owners) {
    if (id === writer) {
      left.set(id, owner);
      continue;
    }
    const comparison = compareAt(owner.name.apiVersion);
    if (comparison === undefined) continue;
    const lost = intersection(owner.set, union(comparison.modified, comparison.added));
    if (!isEmpty(lost)) taken.push({ owner, fields: lost });
    const set = without(without(owner.set, lost), comparison.removed);
    if (!isEmpty(set)) left.set(id, owner.withSet(set));
  }
  const own = compareAt(versions.apiVersion);
  const written = own === undefined ? setOf() : union(own.modified, own.added);
  return { owners: left, taken, written };
}

/** Reconciles owners with the current schema; those of versions no longer served are dropped. */
export function reconciled(owners: Owners, live: JsonObject, versions: Versions): Owners {
  const result = new Map<string, Owner>();
  for (const owner of owners.values()) {
    const at = atVersion(versions, live, owner.name.apiVersion);
    if (at !== undefined) {
      result.set(ownerId(owner.name), owner.withSet(reconcile(at.schema, owner.set)));
    }
  }
  return result;
}

/** The set without fields that belong to the server or identify the object, which nobody can own. */
export function ownable(set: FieldSet): FieldSet {
  return difference(set, system);
}

const system = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
);

/** Subtracts a set; returns the same instance when nothing is removed, so that its entry is not rewritten. */
function without(set: FieldSet, other: FieldSet): FieldSet {
  return isEmpty(intersection(set, other)) ? set : difference(set, other);
}

/**
 * Reconciles a stored set with the current schema: an owner of parts of something that has since become
 * atomic owns the whole of it.
 */
function reconcile(schema: Schema, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  let changed = false;
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of set.children) {
    const result = reconcileChild(schemaBelow(schema, element), child);
    if (result !== child) changed = true;
    children.set(element, result);
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

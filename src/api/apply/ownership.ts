// What a write does to the owners of the fields it changes.

import type { JsonObject } from "../../base/json/value.ts";
import { difference, type FieldSet, intersection, isEmpty, setOf, union } from "./field-set.ts";
import { type Owner, type Owners, ownerId } from "./owners.ts";
import { reconcile } from "./reconcile.ts";
import { atVersion, comparer, type Versions } from "./version.ts";

/** A field that a write would take from its owner. */
export interface Taken {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export interface Outcome {
  readonly owners: Owners;
  readonly taken: readonly Taken[];
  /** What the write set, whether or not it was there before. */
  readonly written: FieldSet;
}

/** The owners after a write: they lose what it removed and what it set to something else. */
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

/** Owners as the schema of today would write them; those of versions no longer served are gone. */
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

/** Fields that belong to the server or name the object: nobody owns them. */
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

/** The very same set when nothing is taken from it, so that its entry need not be written anew. */
function without(set: FieldSet, other: FieldSet): FieldSet {
  return isEmpty(intersection(set, other)) ? set : difference(set, other);
}

import type { JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { type Element, fieldName } from "./element.ts";
import { fieldsOf } from "./extract.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmpty,
  node,
  union,
} from "./field-set.ts";
import type { Owner, Owners } from "./owners.ts";
import { removeFields } from "./remove.ts";
import { declares, fieldSchema, itemSchema } from "./shape.ts";
import { atVersion, type VersionedObject, type Versions } from "./version.ts";

/**
 * The merged object less the fields that the applier applied last time, does not apply any more, and nobody
 * else owns. `owners` contains the applier's new set already.
 */
export function prune(
  merged: JsonObject,
  applied: { last: Owner | undefined; owners: Owners; versions: Versions },
): JsonObject {
  const { last, owners, versions } = applied;
  if (last === undefined || isEmpty(last.set)) return merged;
  const whole = atVersion(versions, merged, last.name.apiVersion);
  if (whole === undefined) return merged;
  const lastSet = withParents(whole.schema, last.set);
  const bare = removeFields(whole.schema, whole.object, lastSet);
  const kept = addBackOwned(whole, bare, ownedByVersion(owners, last), versions);
  const gone = difference(mentioned(whole), mentioned({ ...whole, object: kept }));
  const pruned = removeFields(whole.schema, whole.object, intersection(gone, lastSet));
  return atVersion(versions, pruned, versions.apiVersion)?.object ?? pruned;
}

/** Adds to `bare` those parts of the whole object that somebody owns. */
function addBackOwned(
  whole: VersionedObject,
  bare: JsonObject,
  owned: ReadonlyMap<string, FieldSet>,
  versions: Versions,
): JsonObject {
  let kept = bare;
  for (const [apiVersion, set] of owned) {
    const all = atVersion(versions, whole.object, apiVersion);
    const part = atVersion(versions, kept, apiVersion);
    if (all === undefined || part === undefined) continue;
    const stays = union(mentioned(part), withParents(all.schema, set));
    kept = removeFields(all.schema, all.object, difference(mentioned(all), stays));
  }
  const lastVersion = [...owned.keys()][0] ?? versions.apiVersion;
  return atVersion(versions, kept, lastVersion)?.object ?? kept;
}

/** The fields owned by anybody, by version, the applier's last version first: conversion may need it. */
function ownedByVersion(owners: Owners, last: Owner): Map<string, FieldSet> {
  const owned = new Map([[last.name.apiVersion, emptySet]]);
  for (const { name, set } of owners.values()) {
    owned.set(name.apiVersion, union(owned.get(name.apiVersion) ?? emptySet, set));
  }
  return owned;
}

function mentioned({ schema, object }: VersionedObject): FieldSet {
  return withParents(schema, fieldsOf(schema, object));
}

/**
 * The set together with every declared field that has a path of the set below it. Sets name leaves; to remove
 * them, the structs around them must be removed as well.
 */
function withParents(schema: Schema, set: FieldSet): FieldSet {
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

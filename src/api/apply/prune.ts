import type { JsonObject } from "../../base/json/value.ts";
import { fieldsOf } from "./extract.ts";
import { difference, emptySet, type FieldSet, intersection, isEmpty, union } from "./field-set.ts";
import { withParents } from "./named.ts";
import type { Owner, Owners } from "./owners.ts";
import { removeFields } from "./remove.ts";
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

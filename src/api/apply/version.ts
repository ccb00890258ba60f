import type { JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { type Comparison, compare } from "./compare.ts";
import { type FieldSet, withoutBelow } from "./field-set.ts";

/** An object in the form of one API version. */
export interface VersionedObject {
  readonly schema: Schema;
  readonly object: JsonObject;
}

/** The API versions in which owners may have written. */
export interface Versions {
  /** The version of this request. */
  readonly apiVersion: string;
  readonly schema: Schema;
  /** Converts an object of any version to a given one; undefined when that is not (or no longer) served. */
  readonly convert?: (object: JsonObject, apiVersion: string) => VersionedObject | undefined;
  /** The fields that this request cannot change (`status`, or all but it): it does not come to own them. */
  readonly ignored?: FieldSet;
}

export function atVersion(
  versions: Versions,
  object: JsonObject,
  apiVersion: string,
): VersionedObject | undefined {
  const current = object["apiVersion"] ?? versions.apiVersion;
  if (apiVersion === versions.apiVersion && apiVersion === current) {
    return { schema: versions.schema, object };
  }
  return versions.convert?.(object, apiVersion);
}

/** Returns a function that compares two objects in any version, each computed once. */
export function comparer(
  versions: Versions,
  before: JsonObject,
  after: JsonObject,
): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (!known.has(apiVersion)) {
      const from = atVersion(versions, before, apiVersion);
      const to = atVersion(versions, after, apiVersion);
      known.set(
        apiVersion,
        from === undefined || to === undefined
          ? undefined
          : visible(versions, compare(from.schema, from.object, to.object)),
      );
    }
    return known.get(apiVersion);
  };
}

/** The set without the fields that the request cannot change. */
export function touchable(versions: Versions, set: FieldSet): FieldSet {
  return versions.ignored === undefined ? set : withoutBelow(set, versions.ignored);
}

function visible(versions: Versions, comparison: Comparison): Comparison {
  if (versions.ignored === undefined) return comparison;
  return {
    removed: touchable(versions, comparison.removed),
    modified: touchable(versions, comparison.modified),
    added: touchable(versions, comparison.added),
  };
}

import type { JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { type Comparison, compare } from "./compare.ts";
import { type FieldSet, withoutBelow } from "./field-set.ts";

/** An object as one API version writes it. */
export interface VersionedObject {
  readonly schema: Schema;
  readonly object: JsonObject;
}

/** The versions of an API in which owners may have written. */
export interface Versions {
  /** Of this request. */
  readonly apiVersion: string;
  readonly schema: Schema;
  /** An object of any version in a given one; undefined when that is not (or no longer) served. */
  readonly convert?: (object: JsonObject, apiVersion: string) => VersionedObject | undefined;
  /** Fields that this request cannot touch (`status`, or all but it): nobody comes to own them. */
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

/** Compares two objects in whichever version is asked for, each once. */
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

/** A set less the fields the request cannot touch. */
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

// Strategic merge patches: merge patches in which lists merge by key, according to the schema.

import { getOwn, isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { plainFields, readDirectives, withoutDirectives, withoutNulls } from "./directives.ts";
import { PatchError } from "./error.ts";
import {
  type ListRule,
  mergeLists,
  orderAdded,
  removePrimitives,
  unknownDirective,
} from "./strategic-list.ts";

/**
 * Applies a strategic merge patch. Only built-in kinds have the facts it needs; for custom resources the
 * request is 415. Added elements keep their nulls; the caller drops them.
 */
export function applyStrategicMergePatch(
  schema: Schema,
  object: JsonObject,
  patch: unknown,
): JsonObject {
  if (!isObject(patch)) {
    throw new PatchError("BadRequest", "Cannot read the strategic merge patch: it is no object");
  }
  return mergeMaps({ schema, path: "" }, object, patch);
}

/** The position of a merge: the schema, if there is one, and the path for errors. */
interface Place {
  readonly schema: Schema | undefined;
  readonly path: string;
}

function mergeMaps(place: Place, live: JsonObject, patch: JsonObject): JsonObject {
  const { instead, retain, orders, deletions, fields } = readDirectives(patch);
  if (instead !== undefined) return replaceOrDelete(instead, patch, place);
  const merged = retain === undefined ? { ...live } : retained(live, fields, { retain, place });
  const pending = { ...fields };
  for (const [name, order] of orders) {
    const at = fieldPlace(place, name);
    const lists = { live: getOwn(merged, name), patch: getOwn(pending, name), order };
    const list = mergeOrdered(at, lists);
    if (list === undefined) continue;
    merged[name] = list;
    delete pending[name];
  }
  for (const [name, values] of deletions) {
    if (!Array.isArray(values)) throw malformed(`$deleteFromPrimitiveList/${name}`, "a list");
    const list = getOwn(merged, name);
    if (Array.isArray(list)) merged[name] = removePrimitives(list, values);
  }
  for (const name in pending) {
    const value = mergeField(fieldPlace(place, name), getOwn(merged, name), pending[name]);
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** Merges a field; undefined when it is to be removed. */
function mergeField(place: Place, live: unknown, patch: unknown): unknown {
  if (patch === null) return undefined;
  if (isObject(live) && isObject(patch)) {
    const isReplaced = place.schema?.patch?.strategies.includes("replace") ?? false;
    return isReplaced ? plainFields(patch) : mergeMaps(place, live, patch);
  }
  if (Array.isArray(live) && Array.isArray(patch)) {
    return merges(place) ? mergeLists(live, patch, ruleOf(place)) : withoutDirectives(patch);
  }
  return withoutDirectives(withoutNulls(patch));
}

/** Merges lists in the requested order; undefined when there is nothing to order. */
function mergeOrdered(
  place: Place,
  lists: { live: unknown; patch: unknown; order: unknown },
): unknown[] | undefined {
  const { live, patch, order } = lists;
  if (!Array.isArray(order)) throw malformed(`$setElementOrder for ${place.path}`, "a list");
  if (live !== undefined && !Array.isArray(live)) throw malformed(place.path, "a list");
  if (patch !== undefined && !Array.isArray(patch)) throw malformed(place.path, "a list");
  if (!merges(place) || (live === undefined && patch === undefined)) return undefined;
  return live === undefined
    ? orderAdded(patch ?? [], order, ruleOf(place))
    : mergeLists(live, patch ?? [], ruleOf(place), order);
}

function replaceOrDelete(instead: unknown, patch: JsonObject, place: Place): JsonObject {
  if (instead === "replace") return plainFields(patch);
  if (instead === "delete") return {};
  throw unknownDirective(instead, place.path);
}

/** The live object with only the fields that `$retainKeys` lists. */
function retained(
  live: JsonObject,
  fields: JsonObject,
  { retain, place }: { retain: unknown; place: Place },
): JsonObject {
  if (!Array.isArray(retain)) throw malformed(`${place.path}.$retainKeys`, "a list");
  const names = new Set<unknown>(retain);
  for (const name in fields) {
    if (fields[name] !== null && !names.has(name)) {
      throw malformed(`${place.path}.$retainKeys`, `a list with ${name}`);
    }
  }
  return Object.fromEntries(Object.entries(live).filter(([name]) => names.has(name)));
}

function fieldPlace({ schema, path }: Place, name: string): Place {
  const field = schema?.fields?.get(name)?.schema ?? schema?.items;
  return { schema: field, path: path === "" ? name : `${path}.${name}` };
}

function merges({ schema }: Place): boolean {
  return schema?.patch?.strategies.includes("merge") ?? false;
}

function ruleOf({ schema, path }: Place): ListRule {
  const element: Place = { schema: schema?.items, path: `${path}[]` };
  return {
    mergeKey: schema?.patch?.mergeKey,
    mergeElement: (live, patch) => mergeMaps(element, live, patch),
    path,
  };
}

function malformed(what: string, expected: string): PatchError {
  return new PatchError("BadRequest", `Cannot read ${what}: it must be ${expected}`);
}

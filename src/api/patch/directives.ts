// The directives of a strategic merge patch: fields whose names start with a dollar.

import { isObject, type JsonObject } from "../../base/json/value.ts";
import { PatchError } from "./error.ts";

const marker = "$patch";
const retainKeys = "$retainKeys";
const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

export interface Directives {
  /** `$patch`: the action on the object instead of a merge. */
  readonly instead: unknown;
  /** `$retainKeys`: the only fields the object may keep. */
  readonly retain: unknown;
  /** `$setElementOrder/field`: the order of the elements that the patch knows of. */
  readonly orders: ReadonlyMap<string, unknown>;
  /** `$deleteFromPrimitiveList/field`: the values to delete. */
  readonly deletions: ReadonlyMap<string, unknown>;
  /** The rest: fields to merge. */
  readonly fields: JsonObject;
}

export function readDirectives(patch: JsonObject): Directives {
  const orders = new Map<string, unknown>();
  const deletions = new Map<string, unknown>();
  const fields: JsonObject = {};
  for (const name in patch) {
    if (name === marker || name === retainKeys) continue;
    const [directive, field] = splitDirective(name);
    if (field === undefined) fields[name] = patch[name];
    else (directive === orderPrefix ? orders : deletions).set(field, patch[name]);
  }
  return { instead: patch[marker], retain: patch[retainKeys], orders, deletions, fields };
}

/** The directive an element of a list carries. */
export function elementDirective(element: JsonObject): unknown {
  return element[marker];
}

/**
 * A value that is added, without directives, since there is nothing to merge it with; undefined when it has a
 * `$patch`, which has nothing to act on.
 */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return withoutDirectivesInList(value);
  if (!isObject(value)) return value;
  return Object.hasOwn(value, marker) ? undefined : mapFields(value, withoutDirectives);
}

/** The fields of an object that replaces another, with its parts taken as they are. */
export function plainFields(value: JsonObject): JsonObject {
  return mapFields(value, (inner) => {
    if (isObject(inner)) return plainFields(inner);
    return Array.isArray(inner) ? withoutDirectivesInList(inner) : inner;
  });
}

export function withoutDirectivesInList(list: readonly unknown[]): unknown[] {
  return list.map(withoutDirectives).filter((element) => element !== undefined);
}

/** The fields that are no directives, mapped; undefined leaves a field out. */
function mapFields(value: JsonObject, change: (inner: unknown) => unknown): JsonObject {
  const fields = Object.entries(readDirectives(value).fields);
  const changed = fields.map(([name, inner]) => [name, change(inner)] as const);
  return Object.fromEntries(changed.filter(([, inner]) => inner !== undefined));
}

export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
}

function splitDirective(name: string): [string, string | undefined] {
  if (!name.startsWith(deletePrefix) && !name.startsWith(orderPrefix)) return [name, undefined];
  const slash = name.indexOf("/");
  const directive = name.slice(0, slash);
  if (directive !== deletePrefix && directive !== orderPrefix) {
    throw new PatchError("BadRequest", `Cannot read ${name}: it names no field`);
  }
  return [directive, name.slice(slash + 1)];
}

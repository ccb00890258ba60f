import { isObject, sameJson } from "../../base/json/value.ts";

/** Returns whether two values mean the same: an empty list, map or text, or false, equals an absent one. */
export function sameMeaning(left: unknown, right: unknown): boolean {
  return sameJson(left, right) || sameJson(withoutEmpty(left), withoutEmpty(right));
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmpty);
  if (!isObject(value))
    return value === "" || value === false || value === undefined ? null : value;
  const fields = Object.entries(value)
    .map(([key, field]) => [key, withoutEmpty(field)] as const)
    .filter(([, field]) => field !== null);
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

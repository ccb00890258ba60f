import { isObject } from "../../../base/json/value.ts";
import type { JsonObject } from "./fields.ts";

/**
 * Merges a network's own settings over those of the flat file; its own count even when they are `false`
 * or `0`.
 */
export function merge(inline: JsonObject, flat: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...flat };
  for (const [key, value] of Object.entries(inline)) {
    if (value === null || value === "") continue;
    const below = flat[key];
    merged[key] = isObject(value) && isObject(below) ? merge(value, below) : value;
  }
  return merged;
}

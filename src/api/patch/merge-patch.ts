import { isObject, type JsonObject } from "../../base/json/value.ts";

/** Applies an RFC 7386 merge patch: null removes, objects merge, all else replaces. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(target) ? { ...target } : {};
  for (const name in patch) {
    if (patch[name] === null) delete merged[name];
    else
      merged[name] = applyMergePatch(
        Object.hasOwn(merged, name) ? merged[name] : undefined,
        patch[name],
      );
  }
  return merged;
}

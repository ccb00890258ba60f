import { isObject } from "../../base/json/value.ts";
import { formatPointer, type Pointer, valueAt } from "./pointer.ts";

/**
 * Whether a patch, of any kind, sets the field: the resulting object does not tell, if the field had that
 * value before.
 */
export function mentions(patch: unknown, field: Pointer): boolean {
  if (!Array.isArray(patch)) return (valueAt(patch, field) ?? null) !== null;
  const target = formatPointer(field);
  return patch.filter(isObject).some((operation) => {
    const { op, path, value } = operation;
    if (typeof path !== "string" || op === "test" || op === "remove") return false;
    if (path === target) return true;
    if (!target.startsWith(`${path}/`)) return false;
    const below = field.slice(path.split("/").length - 1);
    return (valueAt(value, below) ?? null) !== null;
  });
}

// Sizes of values as far as the types of variables declare them.
import type { Type } from "../types.ts";
import type { Range } from "./range.ts";

/** Returns the size of what a path leads to; `undefined` when nothing is declared. */
export type SizeOfPath = (path: readonly string[]) => Range | undefined;

/** Reads sizes from the types of variables. The first part of a path is the variable. */
export function declaredSizes(root: Type): SizeOfPath {
  return (path) => {
    if (path.length === 0) return undefined;
    let type: Type | undefined = root;
    for (const part of path.slice(1)) type = type && child(type, part);
    if (type === undefined) return undefined;
    const max = "max" in type && type.max !== undefined ? type.max : 0;
    return { min: 0, max };
  };
}

function child(type: Type, part: string): Type | undefined {
  switch (part) {
    case "@items":
    case "@values":
      if (type.kind === "list") return type.of;
      return type.kind === "map" ? type.value : undefined;
    case "@keys":
      return type.kind === "map" ? type.key : undefined;
    default:
      return type.kind === "object" ? type.fields?.get(part) : undefined;
  }
}

// A value that is in both a singular field and the first element of a list. Applying the singular alone
// leaves the list to its owner while the two agree, and conflicts with that owner when they do not: otherwise
// the server would change the list without its owner's knowledge.

import { isObject, type JsonObject } from "../../base/json/value.ts";
import { type Pair, valuesOf } from "../pairs/pair.ts";
import type { Conflict } from "./conflict.ts";
import { fieldElement } from "./element.ts";
import { paths } from "./field-set.ts";
import { type Owners, ownerId } from "./owners.ts";

export interface ToldTwice {
  /** The path of the object that has the two fields: `["status"]`. */
  readonly path: readonly string[];
  readonly pair: Pair;
}

/** The conflicts with owners of lists whose first value would change through the singular. */
export function pairConflicts(
  { live, config }: { live: JsonObject; config: JsonObject },
  { pairs, owners, writer }: { pairs: readonly ToldTwice[]; owners: Owners; writer: string },
): Conflict[] {
  return pairs.flatMap(({ path, pair }) => {
    const given = holderAt(config, path);
    const stored = holderAt(live, path);
    const singular = given?.[pair.singular];
    if (stored === undefined || typeof singular !== "string" || singular === "") return [];
    if (given?.[pair.plural] !== undefined) return [];
    const [first] = valuesOf(stored, pair);
    if (first === undefined || first === pair.canonical(singular)) return [];
    const list = [...path, pair.plural].map(fieldElement);
    return [...owners.values()]
      .filter((owner) => ownerId(owner.name) !== writer && holds([...paths(owner.set)], list))
      .map((owner) => ({ owner: owner.name, path: [...path, pair.singular].map(fieldElement) }));
  });
}

function holds(owned: readonly (readonly string[])[], list: readonly string[]): boolean {
  return owned.some((path) => list.every((element, index) => path[index] === element));
}

function holderAt(object: JsonObject, path: readonly string[]): JsonObject | undefined {
  let at: unknown = object;
  for (const name of path) at = isObject(at) ? at[name] : undefined;
  return isObject(at) ? at : undefined;
}

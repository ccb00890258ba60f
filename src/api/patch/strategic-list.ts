import { isObject, type JsonObject } from "../../base/json/value.ts";
import { elementDirective, plainFields, withoutDirectivesInList } from "./directives.ts";
import { arrange } from "./element-order.ts";
import { PatchError } from "./error.ts";

/** The rule by which the elements of one list merge. */
export interface ListRule {
  /** The field that identifies elements; undefined where they are plain values. */
  readonly mergeKey: string | undefined;
  readonly mergeElement: (live: JsonObject, patch: JsonObject) => JsonObject;
  /** The path of the list: `spec.containers`. */
  readonly path: string;
}

type List = readonly unknown[];

/**
 * Merges two lists: elements with the same key are merged, others of the patch added. `order` is the one of
 * `$setElementOrder`.
 */
export function mergeLists(live: List, patch: List, rule: ListRule, order?: List): unknown[] {
  if (live.length === 0 && patch.length === 0) return [];
  if (!areObjects([...live, ...patch], rule)) return mergePrimitives(live, patch, { rule, order });
  const keyOf = keyReader(rule);
  checkOrder(patch, order, { keyOf, path: rule.path });
  const { kept, added } = followDirectives(live as JsonObject[], patch as JsonObject[], rule);
  const merged = mergeByKey(kept, added, rule);
  const arranged = arrange(merged, { wanted: added, live: kept, keyOf });
  if (order === undefined) return arranged;
  // As in Kubernetes, added elements take the positions of deleted ones.
  const places = kept.length < live.length ? merged.slice(0, live.length) : live;
  return arrange(arranged, { wanted: order, live: places, keyOf });
}

/** Orders a list that is added: nothing merges, so elements may share their key, as ports 53 often do. */
export function orderAdded(patch: List, order: List, rule: ListRule): unknown[] {
  const elements = withoutDirectivesInList(patch);
  const keyOf = areObjects(elements, rule) ? keyReader(rule) : itself;
  checkOrder(patch, order, { keyOf, path: rule.path });
  return arrange(elements, { wanted: order, live: [], keyOf });
}

function mergePrimitives(
  live: List,
  patch: List,
  { rule, order }: { rule: ListRule; order: List | undefined },
): unknown[] {
  checkOrder(patch, order, { keyOf: itself, path: rule.path });
  const union = [...new Set([...live, ...patch])];
  const merged = arrange(union, { wanted: patch, live, keyOf: itself });
  return order === undefined ? merged : arrange(merged, { wanted: order, live, keyOf: itself });
}

export function removePrimitives(live: List, removed: List): unknown[] {
  const gone = new Set(removed);
  return live.filter((element) => !gone.has(element));
}

/** Executes the directives in elements of the patch, which delete elements or replace the list. */
function followDirectives(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  rule: ListRule,
): { kept: readonly JsonObject[]; added: readonly JsonObject[] } {
  const keyOf = keyReader(rule);
  const added: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let isReplaced = false;
  for (const element of patch) {
    const directive = elementDirective(element);
    if (directive === undefined) added.push(element);
    else if (directive === "delete") deleted.add(keyOf(element));
    else if (directive === "replace") isReplaced = true;
    else throw unknownDirective(directive, rule.path);
  }
  if (isReplaced) return { kept: added.map(plainFields), added: [] };
  const { mergeKey = "" } = rule;
  return { kept: live.filter((element) => !deleted.has(element[mergeKey])), added };
}

function mergeByKey(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  { mergeKey = "", mergeElement, path }: ListRule,
): JsonObject[] {
  const merged = [...live];
  const keyOf = keyReader({ mergeKey, path });
  // Of several live elements with the same key the first one merges.
  const places = new Map<unknown, number>();
  for (const [index, element] of live.entries()) {
    if (!places.has(element[mergeKey])) places.set(element[mergeKey], index);
  }
  for (const element of patch) {
    const key = keyOf(element);
    const index = places.get(key) ?? merged.length;
    const other = merged[index];
    merged[index] = other === undefined ? plainFields(element) : mergeElement(other, element);
    places.set(key, index);
  }
  return merged;
}

export function unknownDirective(directive: unknown, path: string): PatchError {
  return new PatchError(
    "BadRequest",
    `Cannot patch ${path || "the object"}: unknown patch type ${JSON.stringify(directive)}`,
  );
}

/** Whether the elements are objects (with a merge key) or plain values; a mixture is refused. */
function areObjects(
  elements: List,
  { mergeKey, path }: Pick<ListRule, "mergeKey" | "path">,
): boolean {
  const objects = elements.filter(isObject).length;
  const isMixed = objects > 0 && objects < elements.length;
  if (isMixed || elements.some(Array.isArray)) {
    throw new PatchError("Invalid", `Cannot merge ${path}: its elements are of different types`);
  }
  if (objects > 0 && mergeKey === undefined) {
    throw new PatchError("Invalid", `Cannot merge ${path}: its elements have no merge key`);
  }
  return objects > 0;
}

function itself(element: unknown): unknown {
  return element;
}

function keyReader({
  mergeKey = "",
  path,
}: Pick<ListRule, "mergeKey" | "path">): (element: unknown) => unknown {
  return (element) => {
    if (isObject(element) && Object.hasOwn(element, mergeKey)) return element[mergeKey];
    throw new PatchError("Invalid", `Cannot merge ${path}: an element has no ${mergeKey}`);
  };
}

/** Checks that the elements of the patch are among those of the order, and in that order. */
function checkOrder(
  patch: List,
  wanted: List | undefined,
  { keyOf, path }: { keyOf: (element: unknown) => unknown; path: string },
): void {
  if (wanted === undefined || wanted.length === 0) return;
  const plain = patch.filter((each) => !isObject(each) || elementDirective(each) === undefined);
  const keys = wanted.map(keyOf);
  let from = 0;
  for (const element of plain) {
    from = keys.indexOf(keyOf(element), from) + 1;
    if (from === 0) {
      throw new PatchError(
        "BadRequest",
        `Cannot merge ${path}: the order in the patch does not match $setElementOrder`,
      );
    }
  }
}

import { isObject, type JsonObject, sameJson } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { type Element, fieldElement } from "./element.ts";
import { emptySet, type FieldSet, isEmpty, leaf, node, union } from "./field-set.ts";
import { absentValue, elementOf, type Form, fieldSchema, formOf, itemSchema } from "./shape.ts";

/** The fields in which two objects differ; no field is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares two objects. */
export function compare(schema: Schema, before: JsonObject, after: JsonObject): Comparison {
  return compareValues(schema, before, after);
}

const same: Comparison = { removed: emptySet, modified: emptySet, added: emptySet };
const wasRemoved: Comparison = { ...same, removed: leaf };
const wasModified: Comparison = { ...same, modified: leaf };
const wasAdded: Comparison = { ...same, added: leaf };

/** The values before and after; undefined stands for an absent one. */
type Pair = readonly [before: unknown, after: unknown];

function compareValues(schema: Schema, before: unknown, after: unknown): Comparison {
  if (before === after) return same;
  const form = formOf(schema, after === undefined ? before : after);
  const comparison = compareAs(form, schema, [before, after]);
  if (before === undefined || after === undefined || schema.type !== "any") return comparison;
  const formBefore = formOf(schema, before);
  if (formBefore === form) return comparison;
  return join(comparison, compareAs(formBefore, schema, [before, after]));
}

function compareAs(form: Form, schema: Schema, pair: Pair): Comparison {
  if (form === "map") return compareMaps(schema, pair);
  return form === "list" ? compareLists(schema, pair) : compareLeaves(pair);
}

function compareLeaves([before, after]: Pair): Comparison {
  if (before === undefined) return wasAdded;
  if (after === undefined) return wasRemoved;
  return sameJson(before, after) ? same : wasModified;
}

function compareMaps(schema: Schema, pair: Pair): Comparison {
  const [before, after] = pair.map((value) => (isObject(value) ? value : undefined));
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  if (names.size === 0) return compareLeaves(pair);
  const changes = new Changes();
  for (const name of names) {
    const was = fieldOf(schema, before, name);
    const is = fieldOf(schema, after, name);
    if (was !== is) {
      changes.add(fieldElement(name), compareValues(fieldSchema(schema, name), was, is));
    }
  }
  return changes.done(pair);
}

function fieldOf(schema: Schema, object: JsonObject | undefined, name: string): unknown {
  if (object === undefined) return undefined;
  return Object.hasOwn(object, name) ? object[name] : absentValue(schema, name);
}

function compareLists(schema: Schema, pair: Pair): Comparison {
  const before = grouped(schema, pair[0]);
  const after = grouped(schema, pair[1]);
  if (before.size === 0 && after.size === 0) return compareLeaves(pair);
  const changes = new Changes();
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const items = [before.get(element) ?? [], after.get(element) ?? []] as const;
    changes.add(element, compareItems(itemSchema(schema), items));
  }
  return changes.done(pair);
}

/** Compares list elements; those that share their keys are compared as one leaf. */
function compareItems(
  schema: Schema,
  [before, after]: readonly [readonly unknown[], readonly unknown[]],
): Comparison {
  if (before.length <= 1 && after.length <= 1) return compareValues(schema, before[0], after[0]);
  if (before.length > 1 && after.length > 1) return sameJson(before, after) ? same : wasModified;
  return before.length > 1
    ? join(wasRemoved, compareValues(schema, undefined, after[0]))
    : join(wasAdded, compareValues(schema, before[0], undefined));
}

function grouped(schema: Schema, list: unknown): Map<Element, unknown[]> {
  const groups = new Map<Element, unknown[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const element = elementOf(schema, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** Collects the comparisons of a container's parts. */
class Changes {
  #removed: Map<Element, FieldSet> | undefined;
  #modified: Map<Element, FieldSet> | undefined;
  #added: Map<Element, FieldSet> | undefined;

  add(element: Element, { removed, modified, added }: Comparison): void {
    if (!isEmpty(removed)) this.#removed = put(this.#removed, element, removed);
    if (!isEmpty(modified)) this.#modified = put(this.#modified, element, modified);
    if (!isEmpty(added)) this.#added = put(this.#added, element, added);
  }

  done([before, after]: Pair): Comparison {
    return {
      removed: node(after === undefined, this.#removed),
      modified: node(false, this.#modified),
      added: node(before === undefined, this.#added),
    };
  }
}

function put(
  sets: Map<Element, FieldSet> | undefined,
  element: Element,
  set: FieldSet,
): Map<Element, FieldSet> {
  return (sets ?? new Map<Element, FieldSet>()).set(element, set);
}

function join(left: Comparison, right: Comparison): Comparison {
  return {
    removed: union(left.removed, right.removed),
    modified: union(left.modified, right.modified),
    added: union(left.added, right.added),
  };
}

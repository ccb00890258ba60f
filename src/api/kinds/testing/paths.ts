// Objects as lists of leaves, by path: `spec.ports[0].name`, `metadata.labels['a/b']`.
import { isObject } from "../../../base/json/value.ts";

export type Leaves = Record<string, unknown>;

/** Returns a changed copy: null removes a field, `{$repeat: [element, times]}` stands for a long value. */
export function changed<T extends object>(object: T, changes: Readonly<Leaves>): T {
  const copy = structuredClone(object);
  for (const [path, value] of Object.entries(changes)) change(copy, keysOf(path), value);
  return copy;
}

/** Returns the leaves of `to` that `from` lacks or has otherwise; those that `to` lacks are null. */
export function differences(from: object, to: object): Leaves {
  const before = leavesOf(from);
  const after = leavesOf(to);
  const isChanged = (path: string) => JSON.stringify(before[path]) !== JSON.stringify(after[path]);
  const changes = Object.keys({ ...before, ...after }).filter(isChanged);
  return Object.fromEntries(changes.map((path) => [path, after[path] ?? null]));
}

/** Returns the leaves of a value. Empty texts and lists count as absent: Go does not tell them apart. */
function leavesOf(value: unknown, path = "", leaves: Leaves = {}): Leaves {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, element] of value.entries()) leavesOf(element, `${path}[${index}]`, leaves);
  } else if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, field] of Object.entries(value)) leavesOf(field, childOf(path, key), leaves);
  } else if (!isAbsent(path, value)) {
    leaves[path] = value;
  }
  return leaves;
}

/** Returns whether a leaf counts as absent; an empty text that is an element of a list does not. */
export function isAbsent(path: string, value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    Array.isArray(value) ||
    (value === "" && !path.endsWith("]"))
  );
}

function childOf(path: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${path}['${key}']`;
  return path === "" ? key : `${path}.${key}`;
}

function keysOf(path: string): (string | number)[] {
  return [...path.matchAll(/\['([^']*)'\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, plain]) => quoted ?? (index === undefined ? (plain ?? "") : Number(index)),
  );
}

type Branch = Record<string | number, unknown>;

function change(root: object, keys: readonly (string | number)[], value: unknown): void {
  let branch = root as Branch;
  for (const [position, key] of keys.slice(0, -1).entries()) {
    branch[key] ??= typeof keys[position + 1] === "number" ? [] : {};
    branch = branch[key] as Branch;
  }
  const last = keys.at(-1) ?? "";
  if (value !== null) branch[last] = expand(value);
  else if (Array.isArray(branch)) branch.splice(Number(last), 1);
  else delete branch[last];
}

function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  if (!Array.isArray(value["$repeat"])) {
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, expand(field)]));
  }
  const [element, times] = value["$repeat"] as [unknown, number];
  if (typeof element === "string") return element.repeat(times);
  const text = JSON.stringify(element);
  return Array.from({ length: times }, (_, index): unknown =>
    JSON.parse(text.replaceAll("#", String(index))),
  );
}

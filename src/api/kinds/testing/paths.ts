// Objects as lists of leaves, by path: `spec.ports[0].name`, `metadata.labels['a/b']`.
import { isObject } from "../../../base/json/value.ts";

export type Leaves = Record<string, unknown>;

/** A changed copy; null takes out, and `{$repeat: [element, times]}` stands for a long value. */
export function changed<T extends object>(object: T, changes: Readonly<Leaves>): T {
  const copy = structuredClone(object);
  for (const [path, value] of Object.entries(changes)) change(copy, keysOf(path), value);
  return copy;
}

/** What the second has that the first has not or has otherwise; what it lacks is null. */
export function differences(from: object, to: object): Leaves {
  const before = leavesOf(from);
  const after = leavesOf(to);
  const isChanged = (path: string) => JSON.stringify(before[path]) !== JSON.stringify(after[path]);
  const changes = Object.keys({ ...before, ...after }).filter(isChanged);
  return Object.fromEntries(changes.map((path) => [path, after[path] ?? null]));
}

/** Fields with an empty text or list count as absent: Go does not tell them apart. */
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

/** Elements of a list are there even if they say nothing. */
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

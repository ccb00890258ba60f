// Functions of lists and sets, of the language's extensions and of Kubernetes.
import { compare, equal } from "../runtime/compare.ts";
import { CostLimitExceeded, Steps } from "../runtime/steps.ts";
import {
  CelError,
  Duration,
  ListValue,
  noSuchOverload,
  PlainList,
  typeNameOf,
  Uint,
  type Value,
} from "../runtime/value.ts";
import type { Implementation, Library } from "./library.ts";
import { standard } from "./standard.ts";

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
/** The names of types in the ids of overloads of the language's own extension. */
const longNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};
const zeros: Readonly<Record<string, Value>> = {
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  duration: new Duration(0n),
};

function forEach(
  types: readonly string[],
  overload: (type: string) => readonly [string, string, Implementation],
) {
  return Object.fromEntries(
    types.map((type) => {
      const [id, signature, run] = overload(type);
      return [id, [signature, run] as const];
    }),
  );
}

const list = (value: Value | undefined) => value as ListValue;

export const lists: Library = {
  isSorted: forEach(comparable, (type) => [
    `list_${type}_is_sorted_bool`,
    `list(${type}).() bool`,
    isSorted,
  ]),
  sum: forEach(Object.keys(zeros), (type) => [
    `list_${type}_sum_${type}`,
    `list(${type}).() ${type}`,
    (values) => sum(list(values), zeros[type] as Value),
  ]),
  max: forEach(comparable, (type) => [
    `list_${type}_max_${type}`,
    `list(${type}).() ${type}`,
    (values) => extreme(list(values), "max"),
  ]),
  min: forEach(comparable, (type) => [
    `list_${type}_min_${type}`,
    `list(${type}).() ${type}`,
    (values) => extreme(list(values), "min"),
  ]),
  indexOf: {
    list_a_index_of_int: [
      "list(A).(A) int",
      (values, wanted) => {
        const all = list(values);
        for (let index = 0; index < all.size; index++) {
          if (equal(all.at(index), wanted)) return BigInt(index);
        }
        return -1n;
      },
    ],
  },
  lastIndexOf: {
    list_a_last_index_of_int: [
      "list(A).(A) int",
      (values, wanted) => {
        const all = list(values);
        for (let index = all.size - 1; index >= 0; index--) {
          if (equal(all.at(index), wanted)) return BigInt(index);
        }
        return -1n;
      },
    ],
  },
  slice: {
    list_slice: [
      "list(A).(int, int) list(A)",
      (values, from, to) => slice(list(values), from as bigint, to as bigint),
    ],
  },
  flatten: {
    list_flatten: ["list(list(A)).() list(A)", (values) => flatten(list(values), 1n)],
    list_flatten_int: [
      "list(dyn).(int) list(dyn)",
      (values, depth) => flatten(list(values), depth as bigint),
    ],
  },
  sort: forEach(comparable, (type) => [
    `list_${longNames[type] ?? type}_sort`,
    `list(${type}).() list(${type})`,
    (values) => sortBy(list(values), list(values)),
  ]),
  "@sortByAssociatedKeys": forEach(comparable, (type) => [
    `list_${longNames[type] ?? type}_sortByAssociatedKeys`,
    `list(A).(list(${type})) list(A)`,
    (values, keys) => sortBy(list(values), list(keys)),
  ]),
  "lists.range": { lists_range: ["(int) list(int)", (count) => range(count as bigint)] },
  reverse: {
    list_reverse: ["list(A).() list(A)", (values) => new PlainList([...list(values)].toReversed())],
  },
  distinct: { list_distinct: ["list(A).() list(A)", (values) => distinct(list(values))] },
  "sets.contains": {
    list_sets_contains_list: [
      "(list(A), list(A)) bool",
      (values, part) => [...list(part)].every((each) => includes(list(values), each)),
    ],
  },
  "sets.equivalent": {
    list_sets_equivalent_list: [
      "(list(A), list(A)) bool",
      (a, b) =>
        [...list(a)].every((each) => includes(list(b), each)) &&
        [...list(b)].every((each) => includes(list(a), each)),
    ],
  },
  "sets.intersects": {
    list_sets_intersects_list: [
      "(list(A), list(A)) bool",
      (a, b) => [...list(a)].some((each) => includes(list(b), each)),
    ],
  },
};

function includes(values: ListValue, wanted: Value): boolean {
  for (const each of values) if (equal(each, wanted)) return true;
  return false;
}

function isSorted(values: Value | undefined): Value {
  const all = list(values);
  for (let index = 1; index < all.size; index++) {
    const order = compare(all.at(index - 1), all.at(index));
    if (order instanceof CelError) return order;
    if (order > 0) return false;
  }
  return true;
}

function sum(values: ListValue, zero: Value): Value {
  const type = typeNameOf(zero);
  const names: Readonly<Record<string, string>> = {
    int: "int64",
    uint: "uint64",
    double: "double",
  };
  const [, add] = standard["_+_"]?.[`add_${names[type] ?? "duration_duration"}`] ?? [];
  let total = zero;
  for (const each of values) {
    if (add === undefined || typeNameOf(each) !== type) return noSuchOverload;
    total = add(total, each);
    if (total instanceof CelError) return total;
  }
  return total;
}

function extreme(values: ListValue, which: "min" | "max"): Value {
  let found: Value | undefined;
  for (const each of values) {
    if (found === undefined) found = each;
    const order = compare(found, each);
    if (order instanceof CelError) return order;
    if (which === "min" ? order > 0 : order < 0) found = each;
  }
  return found ?? new CelError(`${which} called on empty list`);
}

function slice(values: ListValue, from: bigint, to: bigint): Value {
  const cannot = (why: string) => new CelError(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) return cannot("negative indexes not supported");
  if (from > to) return cannot("start index must be less than or equal to end index");
  if (BigInt(values.size) < to) return cannot(`list is length ${values.size}`);
  const kept: Value[] = [];
  for (let index = Number(from); index < Number(to); index++) kept.push(values.at(index));
  return new PlainList(kept);
}

function flatten(values: ListValue, depth: bigint): Value {
  if (depth < 0n) return new CelError("level must be non-negative");
  const flat: Value[] = [];
  const steps = new Steps();
  const add = (each: Value, left: bigint): void => {
    steps.take();
    if (!(each instanceof ListValue) || left === 0n) flat.push(each);
    else for (const inner of each) add(inner, left - 1n);
  };
  for (const each of values) add(each, depth);
  return new PlainList(flat);
}

function sortBy(values: ListValue, keys: ListValue): Value {
  if (values.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${values.size} and ${keys.size} elements respectively`,
    );
  }
  if (values.size === 0) return values;
  const type = typeNameOf(keys.at(0));
  const all = [...keys];
  if (all.some((key) => typeNameOf(key) !== type)) {
    return new CelError("list elements must have the same type");
  }
  if (compare(all[0] as Value, all[0] as Value) instanceof CelError) {
    return new CelError("list elements must be comparable");
  }
  const order = all.map((_, index) => index);
  order.sort((a, b) => {
    const found = compare(all[a] as Value, all[b] as Value);
    return found instanceof CelError ? 0 : found;
  });
  return new PlainList(order.map((index) => values.at(index)));
}

/** The longest range: a longer one would cost more than any expression may. */
const longestRange = 1_000_000n;

function range(count: bigint): Value {
  if (count > longestRange) throw new CostLimitExceeded();
  return new PlainList(Array.from({ length: Math.max(0, Number(count)) }, (_, n) => BigInt(n)));
}

function distinct(values: ListValue): Value {
  const kept: Value[] = [];
  for (const each of values) if (!kept.some((other) => equal(other, each))) kept.push(each);
  return new PlainList(kept);
}

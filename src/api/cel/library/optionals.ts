// Optional values, and the insertion into maps that comprehensions collect.
import { equal } from "../runtime/compare.ts";
import { GrowingMap } from "../runtime/growing.ts";
import {
  CelError,
  Duration,
  keyLabel,
  ListValue,
  MapValue,
  OptionalValue,
  PlainList,
  PlainMap,
  Timestamp,
  Uint,
  type Value,
} from "../runtime/value.ts";
import type { Implementation, Library } from "./library.ts";

const none = new OptionalValue(undefined);
const optional = (value: Value | undefined) => value as OptionalValue;
const unwrap: Implementation = (values) =>
  new PlainList(
    [...(values as ListValue)].flatMap((each) =>
      each instanceof OptionalValue && each.value !== undefined ? [each.value] : [],
    ),
  );

export const optionals: Library = {
  "optional.of": { optional_of: ["(A) optional(A)", (value) => new OptionalValue(value)] },
  "optional.ofNonZeroValue": {
    optional_ofNonZeroValue: [
      "(A) optional(A)",
      (value) => (isZero(value) ? none : new OptionalValue(value)),
    ],
  },
  "optional.none": { optional_none: ["() optional(A)", () => none] },
  "optional.unwrap": { optional_unwrap: ["(list(optional(A))) list(A)", unwrap] },
  unwrapOpt: { optional_unwrapOpt: ["list(optional(A)).() list(A)", unwrap] },
  value: {
    optional_value: [
      "optional(A).() A",
      (value) => {
        const inner = optional(value).value;
        return inner === undefined ? new CelError("optional.none() dereference") : inner;
      },
    ],
  },
  hasValue: {
    optional_hasValue: ["optional(A).() bool", (value) => optional(value).value !== undefined],
  },
  or: {
    optional_or_optional: [
      "optional(A).(optional(A)) optional(A)",
      (a, b) => (optional(a).value === undefined ? b : a),
    ],
  },
  orValue: {
    optional_orValue_value: [
      "optional(A).(A) A",
      (a, b) => {
        const inner = optional(a).value;
        return inner === undefined ? b : inner;
      },
    ],
  },
  first: {
    list_first: ["list(A).() optional(A)", (values) => elementAt(values as ListValue, 0)],
  },
  last: {
    list_last: [
      "list(A).() optional(A)",
      (values) => elementAt(values as ListValue, (values as ListValue).size - 1),
    ],
  },
  "_[?_]": {
    list_optindex_optional_int: ["(list(A), int) optional(A)", () => none],
    optional_list_optindex_optional_int: ["(optional(list(A)), int) optional(A)", () => none],
    map_optindex_optional_value: ["(map(A, B), A) optional(B)", () => none],
    optional_map_optindex_optional_value: ["(optional(map(A, B)), A) optional(B)", () => none],
  },
  "_[_]": {
    optional_list_index_int: ["(optional(list(A)), int) optional(A)", () => none],
    optional_map_index_value: ["(optional(map(A, B)), A) optional(B)", () => none],
  },
  "cel.@mapInsert": {
    "@mapInsert_map_key_value": [
      "(map(A, B), A, B) map(A, B)",
      (map, key, value) => insert(map as MapValue, [[key, value]]),
    ],
    "@mapInsert_map_map": [
      "(map(A, B), map(A, B)) map(A, B)",
      (map, more) => insert(map as MapValue, entriesOf(more as MapValue)),
    ],
  },
};

function elementAt(values: ListValue, index: number): Value {
  return values.size === 0 ? none : new OptionalValue(values.at(index));
}

function entriesOf(map: MapValue): [Value, Value][] {
  return [...map.keys()].map((key) => [key, map.find(key) as Value]);
}

function insert(map: MapValue, entries: readonly (readonly [Value, Value])[]): Value {
  const target = map instanceof GrowingMap ? map : new PlainMap(entriesOf(map));
  for (const [key, value] of entries) {
    if (!target.insert(key, value))
      return new CelError(`insert failed: key ${keyLabel(key)} already exists`);
  }
  return target;
}

const zeros: readonly Value[] = [0n, 0, "", false, null, new Uint(0n)];

function isZero(value: Value): boolean {
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos === 0n;
  if (value instanceof OptionalValue) return value.value === undefined;
  return zeros.some((zero) => equal(zero, value));
}

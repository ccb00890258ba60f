// The operators and functions of the language itself.
import { compare, equal } from "../runtime/compare.ts";
import { GrowingList } from "../runtime/growing.ts";
import { duration, int, timestamp, uint } from "../runtime/numbers.ts";
import type { Duration, ListValue, MapValue, Timestamp, Uint } from "../runtime/value.ts";
import { CelError, characters, noSuchOverload, PlainList, type Value } from "../runtime/value.ts";
import type { Implementation, Library } from "./library.ts";

const ordered = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const numbers = ["int", "uint", "double"];
/** The names of types in the ids of overloads. */
const idNames: Readonly<Record<string, string>> = { int: "int64", uint: "uint64" };
const idOf = (type: string) => idNames[type] ?? type;

type Overloads = Library[string];
type OverloadEntry = [id: string, overload: readonly [signature: string, run: Implementation]];

/** Returns the overloads of a relation: for every type with an order, and for numbers of two types. */
function relation(prefix: string, test: (order: number) => boolean): Overloads {
  const run: Implementation = (a, b) => {
    const order = compare(a, b);
    return order instanceof CelError ? order : test(order);
  };
  const same = ordered.map(
    (type): OverloadEntry => [`${prefix}_${idOf(type)}`, [`(${type}, ${type}) bool`, run]],
  );
  const mixed = numbers.flatMap((a) =>
    numbers
      .filter((b) => b !== a)
      .map((b): OverloadEntry => [`${prefix}_${idOf(a)}_${idOf(b)}`, [`(${a}, ${b}) bool`, run]]),
  );
  return Object.fromEntries([...same, ...mixed]);
}

type Numeric = (a: bigint, b: bigint) => bigint;

/** Returns the overloads of an operator on numbers. */
function arithmetic(
  prefix: string,
  onIntegers: Numeric,
  onDoubles: (a: number, b: number) => number,
) {
  return {
    [`${prefix}_double`]: [
      "(double, double) double",
      ((a, b) => onDoubles(a as number, b as number)) as Implementation,
    ],
    [`${prefix}_int64`]: [
      "(int, int) int",
      ((a, b) => int(onIntegers(a as bigint, b as bigint))) as Implementation,
    ],
    [`${prefix}_uint64`]: [
      "(uint, uint) uint",
      ((a, b) => uint(onIntegers((a as Uint).value, (b as Uint).value))) as Implementation,
    ],
  } as const;
}

function integers(prefix: string, zero: CelError, work: Numeric) {
  return {
    [`${prefix}_int64`]: [
      "(int, int) int",
      ((a, b) => (b === 0n ? zero : int(work(a as bigint, b as bigint)))) as Implementation,
    ],
    [`${prefix}_uint64`]: [
      "(uint, uint) uint",
      ((a, b) => {
        const [x, y] = [(a as Uint).value, (b as Uint).value];
        return y === 0n ? zero : uint(work(x, y));
      }) as Implementation,
    ],
  } as const;
}

const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");
const nanosOf = (value: Value | undefined) => (value as Timestamp | Duration).nanos;
const concatenate: Implementation = (a, b) => {
  if (!(a instanceof GrowingList)) return new PlainList([...(a as ListValue), ...(b as ListValue)]);
  a.add(b as ListValue);
  return a;
};
const sizeOfValue: Implementation = (value) => {
  if (typeof value === "string") return BigInt(characters(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  return BigInt((value as ListValue | MapValue).size);
};
/** The implementation of operators that the evaluator works out itself. */
const builtIn: Implementation = () => noSuchOverload;

export const standard: Library = {
  "_?_:_": { conditional: ["(bool, A, A) A", builtIn] },
  "_&&_": { logical_and: ["(bool, bool) bool", builtIn] },
  "_||_": { logical_or: ["(bool, bool) bool", builtIn] },
  "!_": { logical_not: ["(bool) bool", (value) => !(value as boolean)] },
  "@not_strictly_false": { not_strictly_false: ["(bool) bool", builtIn] },
  "_==_": { equals: ["(A, A) bool", (a, b) => equal(a, b)] },
  "_!=_": { not_equals: ["(A, A) bool", (a, b) => !equal(a, b)] },
  "_+_": {
    add_bytes: [
      "(bytes, bytes) bytes",
      (a, b) => new Uint8Array(Buffer.concat([a as Uint8Array, b as Uint8Array])),
    ],
    ...arithmetic(
      "add",
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    add_duration_duration: [
      "(duration, duration) duration",
      (a, b) => duration(nanosOf(a) + nanosOf(b)),
    ],
    add_duration_timestamp: [
      "(duration, timestamp) timestamp",
      (a, b) => timestamp(nanosOf(a) + nanosOf(b)),
    ],
    add_timestamp_duration: [
      "(timestamp, duration) timestamp",
      (a, b) => timestamp(nanosOf(a) + nanosOf(b)),
    ],
    add_list: ["(list(A), list(A)) list(A)", concatenate],
    add_string: ["(string, string) string", (a, b) => (a as string) + (b as string)],
  },
  "_-_": {
    ...arithmetic(
      "subtract",
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    subtract_duration_duration: [
      "(duration, duration) duration",
      (a, b) => duration(nanosOf(a) - nanosOf(b)),
    ],
    subtract_timestamp_duration: [
      "(timestamp, duration) timestamp",
      (a, b) => timestamp(nanosOf(a) - nanosOf(b)),
    ],
    subtract_timestamp_timestamp: [
      "(timestamp, timestamp) duration",
      (a, b) => duration(nanosOf(a) - nanosOf(b)),
    ],
  },
  "_*_": arithmetic(
    "multiply",
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  "_/_": {
    divide_double: ["(double, double) double", (a, b) => (a as number) / (b as number)],
    ...integers("divide", divisionByZero, (a, b) => a / b),
  },
  "_%_": integers("modulo", modulusByZero, (a, b) => a % b),
  "-_": {
    negate_double: ["(double) double", (value) => -(value as number)],
    negate_int64: ["(int) int", (value) => int(-(value as bigint))],
  },
  "_<_": relation("less", (order) => order < 0),
  "_<=_": relation("less_equals", (order) => order <= 0),
  "_>_": relation("greater", (order) => order > 0),
  "_>=_": relation("greater_equals", (order) => order >= 0),
  "_[_]": {
    index_list: ["(list(A), int) A", builtIn],
    index_map: ["(map(A, B), A) B", builtIn],
  },
  "@in": {
    in_list: [
      "(A, list(A)) bool",
      (value, list) => {
        for (const each of list as ListValue) if (equal(each, value)) return true;
        return false;
      },
    ],
    in_map: ["(A, map(A, B)) bool", (key, map) => (map as MapValue).find(key) !== undefined],
  },
  size: {
    size_bytes: ["(bytes) int", sizeOfValue],
    bytes_size: ["bytes.() int", sizeOfValue],
    size_list: ["(list(A)) int", sizeOfValue],
    list_size: ["list(A).() int", sizeOfValue],
    size_map: ["(map(A, B)) int", sizeOfValue],
    map_size: ["map(A, B).() int", sizeOfValue],
    size_string: ["(string) int", sizeOfValue],
    string_size: ["string.() int", sizeOfValue],
  },
};

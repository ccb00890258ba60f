// Equality and order of values. Numbers compare by their value, whatever their types.
import { Steps } from "./steps.ts";
import {
  CelError,
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./value.ts";

/** Returns whether two values are equal; values of different types are not. */
export function equal(a: Value, b: Value, steps = new Steps()): boolean {
  if (a === b) return true;
  steps.take();
  const [x, y] = [asNumeric(a), asNumeric(b)];
  if (x !== undefined) return y !== undefined && compareNumbers(x, y) === 0;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b, steps);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b, steps);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof OptionalValue) {
    if (!(b instanceof OptionalValue)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value, steps);
  }
  if (a instanceof Opaque && b instanceof Opaque) {
    return a.typeName === b.typeName && a.equals(b);
  }
  return false;
}

function equalLists(a: ListValue, b: ListValue, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) {
    if (!equal(a.at(index), b.at(index), steps)) return false;
  }
  return true;
}

function equalMaps(a: MapValue, b: MapValue, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [mine, other] = [a.find(key), b.find(key)];
    if (mine === undefined || other === undefined || !equal(mine, other, steps)) return false;
  }
  return true;
}

/** Returns a negative number, zero or a positive one; an error for values without an order. */
export function compare(a: Value, b: Value): number | CelError {
  const [x, y] = [asNumeric(a), asNumeric(b)];
  if (x !== undefined && y !== undefined) {
    const result = compareNumbers(x, y);
    return result === undefined ? new CelError("NaN values cannot be ordered") : result;
  }
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos - b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos - b.nanos);
  return noSuchOverload;
}

/** Returns the order by code points, which is the order of the texts in UTF-8. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x === y) continue;
    // Surrogates stand for code points beyond all others.
    const [p, q] = [x >= 0xd800 && x < 0xe000, y >= 0xd800 && y < 0xe000];
    return p === q ? x - y : p ? 1 : -1;
  }
  return a.length - b.length;
}

function asNumeric(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof Uint ? value.value : undefined;
}

/** Compares two numbers; of an integer and a double, both as doubles. `undefined`: one is not a number. */
function compareNumbers(x: bigint | number, y: bigint | number): number | undefined {
  const isMixed = typeof x !== typeof y;
  const [a, b] = isMixed ? [Number(x), Number(y)] : [x, y];
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : undefined;
}

function sign(value: bigint): number {
  if (value === 0n) return 0;
  return value < 0n ? -1 : 1;
}

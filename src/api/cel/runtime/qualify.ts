// Steps of a path: fields of objects, keys of maps, elements of lists.
import type { Frame } from "./frame.ts";
import {
  CelError,
  keyLabel,
  ListValue,
  MapValue,
  noSuchOverload,
  OptionalValue,
  typeNameOf,
  Uint,
  type Value,
} from "./value.ts";

/** Returns the value of a field, key or index; of an optional value an optional one. */
export function qualify(frame: Frame, value: Value, key: Value): Value {
  if (value instanceof CelError) return value;
  if (value instanceof OptionalValue) return qualifyOptional(frame, value, key);
  frame.charge(1);
  const found = find(value, key);
  return found === undefined ? missing(value, key) : found;
}

/** Returns an optional value: none, which costs nothing, when the field, key or index does not exist. */
export function qualifyOptional(frame: Frame, value: Value, key: Value): Value {
  if (value instanceof CelError) return value;
  const inner = value instanceof OptionalValue ? value.value : value;
  if (inner === undefined) return none;
  const isContainer = inner instanceof MapValue || inner instanceof ListValue;
  const found = isContainer ? find(inner, key) : undefined;
  if (found === undefined) return none;
  frame.charge(1);
  return found instanceof CelError ? found : new OptionalValue(found);
}

/** Returns whether a field exists. */
export function isPresent(frame: Frame, value: Value, field: string): Value {
  if (value instanceof CelError) return value;
  if (value instanceof OptionalValue) {
    const found = qualifyOptional(frame, value, field);
    return found instanceof OptionalValue ? found.value !== undefined : found;
  }
  frame.charge(1);
  if (value instanceof MapValue) return value.find(field) !== undefined;
  return noSuchOverload;
}

const none = new OptionalValue(undefined);

function find(value: Value, key: Value): Value | undefined {
  if (value instanceof MapValue) return value.find(key);
  if (!(value instanceof ListValue)) {
    return typeof key === "string"
      ? new CelError(`unsupported type for field selection: ${typeNameOf(value)}`)
      : noSuchOverload;
  }
  const index = asIndex(key);
  if (index === undefined) {
    return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
  }
  return index >= 0 && index < value.size ? value.at(index) : undefined;
}

function asIndex(key: Value): number | undefined {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof Uint) return Number(key.value);
  return typeof key === "number" && Number.isInteger(key) ? key : undefined;
}

function missing(value: Value, key: Value): CelError {
  const text = keyLabel(key);
  return new CelError(
    value instanceof ListValue ? `index out of bounds: ${text}` : `no such key: ${text}`,
  );
}

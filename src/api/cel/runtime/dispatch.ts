// Finds the overload of a function that fits the values of its arguments.
import type { Overload } from "../library/library.ts";
import { nameOf, type Type } from "../types.ts";
import {
  Duration,
  ListValue,
  MapValue,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./value.ts";

export function findOverload(
  overloads: readonly Overload[],
  args: readonly Value[],
): Overload | undefined {
  return overloads.find(
    (overload) =>
      overload.args.length === args.length &&
      overload.args.every((type, index) => fits(type, args[index] as Value)),
  );
}

/** Returns whether a value is of a type; of a list only the first element is looked at. */
function fits(type: Type, value: Value): boolean {
  switch (type.kind) {
    case "int":
      return typeof value === "bigint";
    case "uint":
      return value instanceof Uint;
    case "double":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "null":
      return value === null;
    case "timestamp":
      return value instanceof Timestamp;
    case "duration":
      return value instanceof Duration;
    case "list":
      return value instanceof ListValue && (value.size === 0 || fits(type.of, value.at(0)));
    case "map":
      return value instanceof MapValue;
    case "type":
      return value instanceof TypeValue;
    case "object":
    case "opaque":
      if (type.kind === "opaque" && type.name === "optional_type") {
        return value instanceof OptionalValue;
      }
      if (value instanceof Opaque) return value.typeName === nameOf(type);
      return value instanceof MapValue && value.typeName === nameOf(type);
    default:
      return true;
  }
}

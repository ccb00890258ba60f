// The entries of maps and messages, and membership in lists.
import type { Planned } from "./planned.ts";
import {
  CelError,
  keyText,
  noSuchOverload,
  OptionalValue,
  PlainList,
  type PlainMap,
  typeNameOf,
  type Value,
} from "./value.ts";

/** Adds an entry unless it is optional and absent; returns the error that keeps it out. */
export function addEntry(
  map: PlainMap,
  [key, value]: readonly [Value, Value],
  isOptional: boolean,
): CelError | undefined {
  if (key instanceof CelError) return key;
  if (value instanceof CelError) return value;
  if (keyText(key) === undefined) return new CelError("unsupported key type");
  let kept: Value = value;
  if (isOptional) {
    if (!(value instanceof OptionalValue)) return noSuchOverload;
    if (value.value === undefined) return undefined;
    kept = value.value;
  }
  map.set(key, kept);
  return undefined;
}

/** Returns whether a constant list holds nothing but values that have a text. */
export function isPrimitiveList(value: Value | undefined): boolean {
  if (!(value instanceof PlainList)) return false;
  return value.elements.every(
    (each) => keyText(each) !== undefined || typeof each === "number" || each === null,
  );
}

function memberText(value: Value): string {
  return keyText(value) ?? (typeof value === "number" ? String(value) : typeNameOf(value));
}

/** Plans `x in [1, 2]` for constants, which costs nothing beyond x. */
export function membership({ run }: Planned, { elements }: PlainList): Planned {
  const texts = new Set(elements.map(memberText));
  return {
    run(frame) {
      const value = run(frame);
      if (value instanceof CelError) return value;
      return texts.has(memberText(value));
    },
  };
}

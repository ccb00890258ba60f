// Checks that many kinds share. Each returns what is wrong with one field, or nothing.

import type { FieldError } from "../fields/field-error.ts";
import { invalid, notSupported, required } from "../fields/field-errors.ts";
import { type NameRule, percentage, portName } from "../fields/names.ts";
import { sameMeaning } from "./equality.ts";

/** Returns the errors of every element of a list, each under the element's own path. */
export function each<T>(
  list: readonly T[] | undefined,
  path: string,
  check: (element: T, path: string, index: number) => readonly FieldError[],
): FieldError[] {
  return (list ?? []).flatMap((element, index) => check(element, `${path}[${index}]`, index));
}

/** Checks a name. An absent one counts as empty: requests may lack any field, whatever the type says. */
export function named(field: string, text: string | undefined, rule: NameRule): FieldError[] {
  return rule(text ?? "").map((problem) => invalid(field, text ?? "", problem));
}

export function present(field: string, value: unknown, detail = ""): FieldError[] {
  return value === undefined || value === "" ? [required(field, detail)] : [];
}

/** Checks a name that must be present. */
export function presentName(field: string, text: string | undefined, rule: NameRule): FieldError[] {
  return text ? named(field, text, rule) : [required(field)];
}

/** Checks a required part of a reference; the error calls the part by its name. */
export function presentPart(
  field: string,
  value: string | undefined,
  rule: NameRule,
): FieldError[] {
  const part = field.slice(field.lastIndexOf(".") + 1);
  return value ? named(field, value, rule) : [required(field, `${part} is required`)];
}

/** Checks a name that may be left out. */
export function optionalName(
  field: string,
  text: string | undefined,
  rule: NameRule,
): FieldError[] {
  return text ? named(field, text, rule) : [];
}

export function oneOf(
  field: string,
  value: string | undefined,
  supported: readonly string[],
): FieldError[] {
  if (value === undefined || value === "") return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

/** Checks a field that may be absent, but not empty. */
export function optionalOneOf(
  field: string,
  value: string | undefined,
  supported: readonly string[],
): FieldError[] {
  if (value === undefined || supported.includes(value)) return [];
  return [notSupported(field, value, supported)];
}

export function nonNegative(field: string, value: number | undefined): FieldError[] {
  if ((value ?? 0) >= 0) return [];
  return [invalid(field, value, "must be greater than or equal to 0")];
}

export function positive(field: string, value: number | undefined): FieldError[] {
  if ((value ?? 0) > 0) return [];
  return [invalid(field, value ?? 0, "must be greater than zero")];
}

export function within(
  field: string,
  value: number | undefined,
  [low, high]: readonly [number, number],
): FieldError[] {
  if (value === undefined || (value >= low && value <= high)) return [];
  return [invalid(field, value, `must be between ${low} and ${high}, inclusive`)];
}

/** Checks a port: a number, or the name that the pod gives to one. */
export function portNumberOrName(field: string, port: number | string | undefined): FieldError[] {
  return typeof port === "string"
    ? named(field, port, portName)
    : within(field, port ?? 0, [1, 65_535]);
}

/** Checks a count, or a share such as `25%`. */
export function countOrShare(field: string, value: number | string | undefined): FieldError[] {
  if (typeof value === "string") return named(field, value, percentage);
  return nonNegative(field, value);
}

export function atMostAll(field: string, value: number | string | undefined): FieldError[] {
  const share = shareOf(value);
  return share > 100 ? [invalid(field, value, "must not be greater than 100%")] : [];
}

/** Returns whether a count or a share is other than zero. */
export function isSome(value: number | string | undefined): boolean {
  return typeof value === "string" ? shareOf(value) !== 0 : (value ?? 0) !== 0;
}

export function immutable(field: string, value: unknown, old: unknown): FieldError[] {
  return sameMeaning(value, old) ? [] : [invalid(field, value, "field is immutable")];
}

export function tooLong(field: string, text: string, limit: number): FieldError[] {
  if (Buffer.byteLength(text) <= limit) return [];
  return [tooLongBy(field, limit)];
}

export function tooLongBy(field: string, limit: number): FieldError {
  return { type: "FieldValueTooLong", field, detail: `may not be more than ${limit} bytes` };
}

export function tooMany(field: string, count: number, limit: number): FieldError[] {
  if (count <= limit) return [];
  const detail = `must have at most ${limit} items`;
  return [{ type: "FieldValueTooMany", field, value: count, detail }];
}

/** Returns whether the value was seen before, and remembers it. */
export function isRepeated(seen: Set<string>, value: string): boolean {
  if (seen.has(value)) return true;
  seen.add(value);
  return false;
}

function shareOf(value: number | string | undefined): number {
  if (typeof value !== "string" || percentage(value).length > 0) return 0;
  return Number(value.slice(0, -1));
}

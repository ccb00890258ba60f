import { Address } from "../../../base/net/address.ts";
import { bitsOf } from "../../../base/net/family.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";
import { scalarProblem } from "../scalars.ts";
import { matchesPattern } from "./patterns.ts";

export function stringErrors(schema: JSONSchemaProps, value: string, at: string): FieldError[] {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const errors: FieldError[] = [];
  if (minLength > 0 || maxLength !== undefined) {
    const length = Array.from(value).length;
    if (length < minLength) {
      errors.push(invalid(at, value, `${at} in body should be at least ${minLength} chars long`));
    }
    if (maxLength !== undefined && length > maxLength) {
      const detail = `may not be more than ${maxLength} characters`;
      errors.push({ type: "FieldValueTooLong", field: at, value, detail });
    }
  }
  if (pattern !== undefined && pattern !== "" && !matchesPattern(pattern, value)) {
    errors.push(invalid(at, value, `${at} in body should match '${pattern}'`));
  }
  if (format !== undefined && !hasFormat(format, value)) {
    errors.push(
      invalid(at, value, `${at} in body must be of type ${format}: ${JSON.stringify(value)}`),
    );
  }
  return errors;
}

export function numberErrors(
  schema: JSONSchemaProps,
  value: number | bigint,
  at: string,
): FieldError[] {
  const { minimum, maximum, multipleOf, format } = schema;
  const wrong = (what: string) => invalid(at, value, `${at} in body should be ${what}`);
  const errors: FieldError[] = [];
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true && value <= minimum) {
      errors.push(wrong(`greater than ${minimum}`));
    } else if (value < minimum) errors.push(wrong(`greater than or equal to ${minimum}`));
  }
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true && value >= maximum) {
      errors.push(wrong(`less than ${maximum}`));
    } else if (value > maximum) errors.push(wrong(`less than or equal to ${maximum}`));
  }
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(Number(value), multipleOf)) {
    errors.push(wrong(`a multiple of ${multipleOf}`));
  }
  if (format === "int32" && (value < -(2 ** 31) || value >= 2 ** 31)) {
    errors.push(wrong("an integer of 32 bits"));
  }
  return errors;
}

/** Whether a value is a multiple, with a tolerance: dividing decimals is not exact in binary. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

export function sizeError(
  size: number,
  limits: {
    readonly least: number | undefined;
    readonly most: number | undefined;
    readonly what: "items" | "properties";
    readonly at: string;
  },
): FieldError[] {
  const { least, most, what, at } = limits;
  if (most !== undefined && size > most) {
    const detail = `must have at most ${most} ${what}`;
    return [{ type: "FieldValueTooMany", field: at, value: size, detail }];
  }
  if (least !== undefined && size < least) {
    return [invalid(at, size, `${at} in body should have at least ${least} ${what}`)];
  }
  return [];
}

/** Whether a string has a format; unknown formats accept any. */
function hasFormat(format: string, text: string): boolean {
  return formats.get(format)?.(text) ?? true;
}

const hostname =
  /^(?=.{1,255}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*\.?$/i;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date-time", (text) => scalarProblem("time", text) === undefined],
  ["date", (text) => scalarProblem("time", `${text}T00:00:00Z`) === undefined],
  ["byte", (text) => scalarProblem("bytes", text) === undefined],
  ["ipv4", (text) => Address.tryParse(text)?.family === "IPv4"],
  ["ipv6", (text) => Address.tryParse(text)?.family === "IPv6"],
  ["cidr", isPrefix],
  ["mac", (text) => /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text)],
  ["hostname", (text) => hostname.test(text)],
  ["email", (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ["uri", (text) => URL.canParse(text)],
  ["uuid", (text) => uuid.test(text)],
  ["duration", (text) => goDuration.test(text)],
]);

function isPrefix(text: string): boolean {
  const [address = "", length = "", ...more] = text.split("/");
  const parsed = Address.tryParse(address);
  if (parsed === undefined || more.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  return Number(length) <= bitsOf(parsed.family);
}

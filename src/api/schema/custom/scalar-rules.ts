import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";
import { hasFormat } from "./formats.ts";
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

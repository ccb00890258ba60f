// Constructors of field errors.
import type { FieldError } from "./field-error.ts";

export function required(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, value, detail };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, value, detail: "" };
}

export function notFound(field: string, value: unknown, detail = ""): FieldError {
  return { type: "FieldValueNotFound", field, value, detail };
}

export function notSupported(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(", ");
  return {
    type: "FieldValueNotSupported",
    field,
    value,
    detail: `supported values: ${values}`,
  };
}

import type { FieldError } from "../api/kinds/field-error.ts";

/** One line in the form Kubernetes programs use: `spec.x: Invalid value: "y": why`. */
export function fieldErrorText(error: FieldError): string {
  const parts = [error.field, titles[error.type]];
  if (error.value !== undefined) parts.push(JSON.stringify(error.value));
  if (error.detail !== "") parts.push(error.detail);
  return parts.join(": ");
}

const titles: Readonly<Record<FieldError["type"], string>> = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueNotFound: "Not found",
};

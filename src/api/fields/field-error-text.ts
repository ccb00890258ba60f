// Formats field errors as Kubernetes programs print them.

import type { FieldError } from "./field-error.ts";

/** The error in one line: `spec.x: Invalid value: "y": why`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** The error without the field. */
export function fieldErrorBody(error: FieldError): string {
  const title = titles[error.type];
  const detail = error.detail === "" ? "" : `: ${error.detail}`;
  const isBare = bareTypes.has(error.type) || !("value" in error);
  return isBare ? `${title}${detail}` : `${title}: ${shown(error.value)}${detail}`;
}

/** The length at which a printed value is cut off. */
const longest = 4096;

function shown(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
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

/** The types whose value is not printed: it is missing, irrelevant, or too long. */
const bareTypes: ReadonlySet<FieldError["type"]> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
]);

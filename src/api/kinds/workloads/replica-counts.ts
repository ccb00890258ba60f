// Checks of the pod counts in a status: none below zero, and no part above the whole.

import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import { nonNegative } from "../checks.ts";

type Counts = Readonly<Record<string, unknown>>;

export function countErrors(status: object | undefined, fields: readonly string[]): FieldError[] {
  return fields.flatMap((field) => nonNegative(`status.${field}`, countOf(status, field)));
}

export function partErrors(status: object | undefined, parts: readonly string[]): FieldError[] {
  const whole = countOf(status, "replicas");
  return parts
    .filter((part) => countOf(status, part) > whole)
    .map((part) => larger(status, part, "status.replicas"));
}

export function availableErrors(status: object | undefined, ready = "readyReplicas"): FieldError[] {
  const isMore = countOf(status, "availableReplicas") > countOf(status, "readyReplicas");
  return isMore ? [larger(status, "availableReplicas", ready)] : [];
}

/** Refuses to decrease the collision count. */
export function collisionErrors(status: object | undefined, old: object | undefined): FieldError[] {
  const now = countOf(status, "collisionCount");
  const before = countOf(old, "collisionCount");
  if (before === 0 || now >= before) return [];
  return [invalid("status.collisionCount", now, "cannot be decremented")];
}

function larger(status: object | undefined, part: string, whole: string): FieldError {
  return invalid(`status.${part}`, countOf(status, part), `cannot be greater than ${whole}`);
}

function countOf(status: object | undefined, field: string): number {
  const value = (status as Counts | undefined)?.[field];
  return typeof value === "number" ? value : 0;
}

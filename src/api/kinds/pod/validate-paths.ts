// Paths of files inside a volume or a container: they must stay inside.

import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";

export function noBackstepErrors(target: string | undefined, field: string): FieldError[] {
  return target?.split("/").includes("..") ? [invalid(field, target, "must not contain '..'")] : [];
}

export function descendingPathErrors(target: string, field: string): FieldError[] {
  const isAbsolute = target.startsWith("/");
  return [
    ...(isAbsolute ? [invalid(field, target, "must be a relative path")] : []),
    ...noBackstepErrors(target, field),
  ];
}

/** Checks a path in a volume. Two leading dots are the node's, which swaps files atomically by such names. */
export function localPathErrors(target: string | undefined, field: string): FieldError[] {
  const isReserved = target?.startsWith("..") === true && !target.startsWith("../");
  return [
    ...descendingPathErrors(target ?? "", field),
    ...(isReserved ? [invalid(field, target, "must not start with '..'")] : []),
  ];
}

import type { FieldError } from "../fields/field-error.ts";
import { forbidden, invalid, required } from "../fields/field-errors.ts";
import { labelValue, qualifiedName } from "../fields/names.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../types/meta.ts";
import { each, named } from "./checks.ts";
import { validateLabels } from "./metadata.ts";

export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  return [
    ...validateLabels(selector?.matchLabels, `${path}.matchLabels`),
    ...each(selector?.matchExpressions, `${path}.matchExpressions`, requirementErrors),
  ];
}

export function isEmptySelector(selector: LabelSelector): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

function requirementErrors(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(required(`${path}.values`, detail));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbidden(`${path}.values`, detail));
  } else {
    errors.push(invalid(`${path}.operator`, operator ?? "", "not a valid selector operator"));
  }
  return [
    ...errors,
    ...named(`${path}.key`, key ?? "", qualifiedName),
    ...each(values, `${path}.values`, (value, field) => named(field, value, labelValue)),
  ];
}

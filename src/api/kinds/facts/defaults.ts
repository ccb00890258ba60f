import { isObject } from "../../../base/json/value.ts";
import type { FactPlan, FactStep } from "./plan.ts";

/** Fills in the defaults of the tables, in place. */
export function fillDefaults(plan: FactPlan, object: Record<string, unknown>): void {
  for (const step of plan) {
    const value = object[step.name];
    if (step.default !== undefined && isAbsent(step, value)) {
      object[step.name] = structuredClone(step.default);
    }
    if (step.inner !== undefined) fillInner(step.inner, object[step.name], step.type);
  }
}

function fillInner(plan: FactPlan, value: unknown, type: FactStep["type"]): void {
  if (type === "object") {
    if (isObject(value)) fillDefaults(plan, value);
    return;
  }
  if (Array.isArray(value)) for (const element of value) fillInner(plan, element, "object");
  else if (isObject(value)) {
    for (const element of Object.values(value)) fillInner(plan, element, "object");
  }
}

/** Returns whether a value counts as absent: a Go field that is no pointer cannot tell zero from absence. */
function isAbsent({ isPointer }: FactStep, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return !isPointer && (value === "" || value === 0 || value === false);
}

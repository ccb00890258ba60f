// Checks of an object against the facts of its table, worded as in Kubernetes.
import { isObject } from "../../../base/json/value.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import { nameRules } from "../../fields/names.ts";
import type { Facts } from "../../schema/model.ts";
import { immutable, named, tooLong, tooMany } from "../checks.ts";
import type { FactPlan, FactStep } from "./plan.ts";

type Values = Readonly<Record<string, unknown>>;

export function factErrors(plan: FactPlan, object: Values, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  for (const step of plan) {
    const value = object[step.name];
    const field = path === "" ? step.name : `${path}.${step.name}`;
    if (step.facts !== undefined) errors.push(...valueErrors(step, step.facts, { value, field }));
    if (step.inner !== undefined && value !== undefined && step.facts?.unchecked !== true) {
      errors.push(...innerErrors(step, { value, field }));
    }
  }
  return errors;
}

/** Returns errors for changes of immutable fields; lists are compared as a whole. */
export function changeErrors(
  plan: FactPlan,
  { object, old }: { object: Values; old: Values },
  path = "",
): FieldError[] {
  return plan.flatMap((step) => {
    const [value, before] = [object[step.name], old[step.name]];
    const field = path === "" ? step.name : `${path}.${step.name}`;
    if (step.facts?.immutable === true) return immutable(field, value, before);
    if (step.inner === undefined || step.type !== "object") return [];
    if (!isObject(value) || !isObject(before)) return [];
    return changeErrors(step.inner, { object: value, old: before }, field);
  });
}

function innerErrors({ inner = [], type }: FactStep, { value, field }: Place): FieldError[] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => ofObject(inner, element, `${field}[${index}]`));
  }
  if (type !== "map") return ofObject(inner, value, field);
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.flatMap(([key, element]) => ofObject(inner, element, `${field}[${key}]`));
}

function ofObject(plan: FactPlan, value: unknown, field: string): FieldError[] {
  return isObject(value) ? factErrors(plan, value, field) : [];
}

interface Place {
  readonly value: unknown;
  readonly field: string;
}

function valueErrors({ isPointer, type }: FactStep, facts: Facts, place: Place): FieldError[] {
  const { value, field } = place;
  const isMissing = value === undefined || value === null || (value === "" && !isPointer);
  if (isMissing) return facts.present === true ? [required(field)] : [];
  if (type === "array" && Array.isArray(value)) {
    return [
      ...(facts.present === true && value.length === 0 ? [required(field)] : []),
      ...(facts.longest === undefined ? [] : tooMany(field, value.length, facts.longest)),
      ...value.flatMap((one, index) =>
        scalarErrors(facts, { value: one, field: `${field}[${index}]` }),
      ),
    ];
  }
  if (type === "map" && isObject(value)) {
    return Object.entries(value).flatMap(([key, one]) =>
      scalarErrors(facts, { value: one, field: `${field}[${key}]` }),
    );
  }
  return [
    ...scalarErrors(facts, place),
    ...(facts.longest !== undefined && typeof value === "string"
      ? tooLong(field, value, facts.longest)
      : []),
  ];
}

function scalarErrors(facts: Facts, { value, field }: Place): FieldError[] {
  if (typeof value === "string") {
    const { values, closed, name } = facts;
    if (values !== undefined && closed === true && !values.includes(value)) {
      return [notSupported(field, value, values)];
    }
    return name === undefined ? [] : named(field, value, ruleCalled(name));
  }
  return typeof value === "number" || typeof value === "bigint"
    ? boundErrors(facts, { value, field })
    : [];
}

function boundErrors(
  { least, most }: Facts,
  { value, field }: { value: number | bigint; field: string },
): FieldError[] {
  if (least === undefined || (value >= least && value <= (most ?? value))) return [];
  if (most !== undefined) {
    return [invalid(field, value, `must be between ${least} and ${most}, inclusive`)];
  }
  const bound =
    least === 1 ? "must be greater than 0" : `must be greater than or equal to ${least}`;
  return [invalid(field, value, bound)];
}

function ruleCalled(name: string) {
  const rule = nameRules[name];
  if (rule === undefined) throw new Error(`Cannot check a name: no rule is called ${name}`);
  return rule;
}

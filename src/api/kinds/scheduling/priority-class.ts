import type { FieldError } from "../../fields/field-error.ts";
import { forbidden } from "../../fields/field-errors.ts";
import type { PriorityClass } from "../../types/scheduling.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, integer, nameColumn, table, text } from "../table.ts";

const highestOfUsers = 1_000_000_000;

/** The priority classes that every cluster has. */
export const systemClasses: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

export const priorityClass: Kind<PriorityClass> = {
  hasGeneration: true,
  validate: nameErrors,
  validateUpdate: ({ value = 0 }, old) =>
    value === (old.value ?? 0) ? [] : [forbidden("value", "may not be changed in an update.")],
  table: table<PriorityClass>([
    nameColumn,
    integer("Value", ({ value }) => value),
    {
      name: "Global-Default",
      type: "boolean",
      cell: ({ globalDefault }) => globalDefault ?? false,
    },
    ageColumn,
    text("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy),
  ]),
};

function nameErrors({ metadata, value = 0, globalDefault }: PriorityClass): FieldError[] {
  // A request may lack its name, which is told elsewhere.
  const name = (metadata as { readonly name?: string }).name ?? "";
  if (!name.startsWith("system-")) {
    const detail = `maximum allowed value of a user defined priority is ${highestOfUsers}`;
    return value > highestOfUsers ? [forbidden("value", detail)] : [];
  }
  const known = systemClasses[name];
  const state =
    known === undefined
      ? `${name} is not a known system priority class`
      : value !== known
        ? `value of ${name} PriorityClass must be ${known}`
        : globalDefault === true
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  if (state === undefined) return [];
  const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${state}`;
  return [forbidden("metadata.name", detail)];
}

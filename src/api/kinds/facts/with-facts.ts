import type { Schema } from "../../schema/model.ts";
import type { ApiObject, Kind } from "../kind.ts";
import { fillDefaults } from "./defaults.ts";
import { changeErrors, factErrors } from "./errors.ts";
import { factPlan } from "./plan.ts";

/** The rules of a kind together with the facts of its table, which come first. */
export function withFacts(schema: Schema, rules: Kind): Kind {
  const plan = factPlan(schema);
  if (plan === undefined) return rules;
  return {
    ...rules,
    default(object) {
      fillDefaults(plan, valuesOf(object));
      rules.default?.(object);
    },
    validate: (object, settings) => [
      ...factErrors(plan, valuesOf(object)),
      ...(rules.validate?.(object, settings) ?? []),
    ],
    validateUpdate: (object, old, settings) => [
      ...changeErrors(plan, { object: valuesOf(object), old: valuesOf(old) }),
      ...(rules.validateUpdate?.(object, old, settings) ?? []),
    ],
  };
}

function valuesOf(object: ApiObject): Record<string, unknown> {
  return object as Record<string, unknown>;
}

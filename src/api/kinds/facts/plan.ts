// The way to the facts of a type: only fields that have some, or lead to some, are visited. It is made
// once for each type, since every write goes it twice.
import type { Facts, Field, Schema } from "../../schema/model.ts";

export interface FactStep {
  readonly name: string;
  readonly isPointer: boolean;
  readonly facts: Facts | undefined;
  readonly default: unknown;
  readonly type: Schema["type"];
  /** The facts of the object in the field, or of every object in its list or map. */
  readonly inner: FactPlan | undefined;
}

export type FactPlan = readonly FactStep[];

const plans = new WeakMap<ReadonlyMap<string, Field>, FactStep[]>();

/** Returns the plan for a type; `undefined` when no field of it, at any depth, has facts. */
export function factPlan(schema: Schema): FactPlan | undefined {
  const { fields } = schema;
  if (fields === undefined || schema.wire === "union") return undefined;
  const known = plans.get(fields);
  if (known !== undefined) return known.length === 0 ? undefined : known;
  const steps: FactStep[] = [];
  // Steps are registered before they are filled, so that a type that contains itself finds them.
  plans.set(fields, steps);
  for (const [name, field] of fields) {
    const inner = factPlan(elementOf(field.schema));
    const { facts, type } = field.schema;
    const isDefaulted = field.schema.default !== undefined;
    if (facts === undefined && inner === undefined && !isDefaulted) continue;
    const isPointer = field.pointer === true;
    steps.push({ name, isPointer, facts, default: field.schema.default, type, inner });
  }
  return steps.length === 0 ? undefined : steps;
}

function elementOf(schema: Schema): Schema {
  return schema.items === undefined ? schema : elementOf(schema.items);
}

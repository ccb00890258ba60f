import type { Field, Schema } from "../schema/model.ts";

/** The wire layout of a message: fields by number, and messages whose fields JSON shows inlined. */
export interface Plan {
  readonly slots: ReadonlyMap<number, Slot>;
}

export type Slot = PlainSlot | { readonly number: number; readonly inlined: Plan };

export interface PlainSlot {
  readonly number: number;
  readonly name: string;
  readonly field: Field;
  readonly inlined?: never;
}

const plans = new WeakMap<ReadonlyMap<string, Field>, Plan>();

/** The plan of a schema; slots are in the order of their numbers, in which messages are written. */
export function planOf({ fields }: Schema): Plan {
  if (fields === undefined) return { slots: new Map() };
  const plan = plans.get(fields) ?? { slots: slotsOf([...fields]) };
  plans.set(fields, plan);
  return plan;
}

function slotsOf(fields: readonly [string, Field][], depth = 0): ReadonlyMap<number, Slot> {
  const slots: Slot[] = [];
  for (const [embedded, group] of Map.groupBy(fields, ([, field]) => field.embedded?.[depth])) {
    if (embedded !== undefined) {
      slots.push({ number: embedded, inlined: { slots: slotsOf(group, depth + 1) } });
      continue;
    }
    const plain = group.flatMap(([name, field]) =>
      field.number === undefined ? [] : [{ number: field.number, name, field }],
    );
    slots.push(...plain);
  }
  return inOrder(slots);
}

function inOrder(slots: readonly Slot[]): ReadonlyMap<number, Slot> {
  return new Map(slots.toSorted((a, b) => a.number - b.number).map((slot) => [slot.number, slot]));
}

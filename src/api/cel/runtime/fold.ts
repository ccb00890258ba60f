// Comprehensions: loops over a list or the keys of a map.
import type { Comprehension } from "../syntax/ast.ts";
import type { Frame } from "./frame.ts";
import { GrowingList, GrowingMap, grown } from "./growing.ts";
import type { NodePlanner, Planned, Slots, Step } from "./planned.ts";
import { CelError, ListValue, MapValue, typeNameOf, type Value } from "./value.ts";

export function planFold(planner: NodePlanner, expr: Comprehension, slots: Slots): Planned {
  const range = planner.plan(expr.range, slots).run;
  const initial = initialOf(expr) ?? planner.plan(expr.initial, slots).run;
  const accumulator = planner.newSlot();
  const first = planner.newSlot();
  const second = expr.second === undefined ? undefined : planner.newSlot();
  const withAccumulator: Slots = new Map([...slots, [expr.accumulator, accumulator]]);
  const inner: Slots = new Map([
    ...withAccumulator,
    [expr.variable, first],
    ...(expr.second === undefined ? [] : [[expr.second, second as number] as const]),
  ]);
  const loop = {
    accumulator,
    first,
    second,
    condition: planner.plan(expr.condition, inner).run,
    step: planner.plan(expr.step, inner).run,
  };
  const result = planner.plan(expr.result, withAccumulator).run;
  return {
    run(frame) {
      const values = range(frame);
      if (values instanceof CelError) return values;
      if (!(values instanceof ListValue) && !(values instanceof MapValue)) {
        return new CelError(`got '${typeNameOf(values)}', expected iterable type`);
      }
      frame.locals[accumulator] = initial(frame);
      iterate(frame, loop, values);
      return grown(result(frame));
    },
  };
}

/** Returns the start of a loop that collects: a list or map that grows in place. */
function initialOf({ initial }: Comprehension): Step | undefined {
  if (initial.kind === "list" && initial.elements.length === 0) return () => new GrowingList();
  if (initial.kind === "map" && initial.entries.length === 0) return () => new GrowingMap();
  return undefined;
}

interface Loop {
  readonly accumulator: number;
  readonly first: number;
  readonly second: number | undefined;
  readonly condition: Step;
  readonly step: Step;
}

function iterate(frame: Frame, loop: Loop, values: ListValue | MapValue): void {
  const { locals } = frame;
  const { first, second } = loop;
  if (values instanceof ListValue) {
    for (let index = 0; index < values.size; index++) {
      locals[first] = second === undefined ? values.at(index) : BigInt(index);
      if (second !== undefined) locals[second] = values.at(index);
      if (!turn(frame, loop)) return;
    }
    return;
  }
  for (const key of values.keys()) {
    locals[first] = key;
    if (second !== undefined) locals[second] = values.find(key) as Value;
    if (!turn(frame, loop)) return;
  }
}

/** Does one turn of a loop; returns whether it was not the last. */
function turn(frame: Frame, { accumulator, condition, step }: Loop): boolean {
  if (condition(frame) !== true) return false;
  frame.locals[accumulator] = step(frame);
  return true;
}

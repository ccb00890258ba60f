// The form of a planned expression.
import type { Expr } from "../syntax/ast.ts";
import type { Frame } from "./frame.ts";
import type { Value } from "./value.ts";

export type Step = (frame: Frame) => Value;

export interface Planned {
  readonly run: Step;
  /** The value of a constant, which costs nothing. */
  readonly constant?: Value;
  /** The evaluation of a path without the cost of its beginning, when the node is a path. */
  readonly path?: Step;
}

/** The slots of local variables in the frame, by name. */
export type Slots = ReadonlyMap<string, number>;

export interface NodePlanner {
  plan(expr: Expr, slots: Slots): Planned;
  /** Returns a slot that no other variable has. */
  newSlot(): number;
}

/** Plans a value that is known before the evaluation. */
export function constant(value: Value): Planned {
  return { run: () => value, constant: value };
}

/** Plans a step of a path, which is charged where the path ends. */
export function asPath(path: Step, pathCost: number): Planned {
  return {
    path,
    run(frame) {
      const value = path(frame);
      frame.charge(pathCost);
      return value;
    },
  };
}

/** Returns the evaluation of a node as a part of a path: its beginning is charged with the whole. */
export function pathOf({ path, run }: Planned): Step {
  return path ?? run;
}

// The state of one evaluation.
import { CostLimitExceeded } from "./steps.ts";
import type { Value } from "./value.ts";

/** An evaluation costs too much for this thread, and has to be done in another. */
export class HeavyEvaluation extends Error {
  constructor() {
    super("Cannot evaluate the expression in this thread: it costs too much");
    this.name = "HeavyEvaluation";
  }
}

export type Variables = (name: string) => Value | undefined;

export interface FrameOptions {
  readonly variables: Variables;
  /** The most that the evaluation may cost. */
  readonly limit: number;
  /** The cost from which on it has to be done in another thread; absent: none. */
  readonly heavy?: number | undefined;
}

export class Frame {
  readonly variables: Variables;
  /** The local variables of comprehensions, by slot. */
  readonly locals: Value[] = [];
  readonly #limit: number;
  readonly #heavy: number;
  readonly #first: number;
  #cost = 0;

  constructor({ variables, limit, heavy = Number.POSITIVE_INFINITY }: FrameOptions) {
    this.variables = variables;
    this.#limit = limit;
    this.#heavy = heavy;
    this.#first = Math.min(limit, heavy);
  }

  get cost(): number {
    return this.#cost;
  }

  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost <= this.#first) return;
    if (this.#cost > this.#limit) throw new CostLimitExceeded();
    if (this.#cost > this.#heavy) throw new HeavyEvaluation();
  }
}

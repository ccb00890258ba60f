// Steps of a simulation of one controller and its pods, in any order.

import fc from "fast-check";
import type { Happening, PodShelf } from "./pod-shelf.ts";

export type Step =
  | { readonly type: "controller" }
  /** The controller sees a change of a pod. */
  | { readonly type: "hear"; readonly which: number }
  | Happening
  | { readonly type: "template"; readonly version: number };

/** An index into however many there are. */
export const which = fc.nat(40);

/** Steps in which the controller reconciles and sees the result, and pods start. */
export const work: readonly fc.Arbitrary<Step>[] = [
  fc.constant<Step>({ type: "controller" }),
  fc.record({ type: fc.constantFrom("hear" as const, "ready" as const, "gone" as const), which }),
];

export const template = fc.record({
  type: fc.constant("template" as const),
  version: fc.integer({ min: 1, max: 4 }),
});

export const flapping = fc.record({
  type: fc.constantFrom("unready" as const, "fail" as const),
  which,
});

export function stepsOf<S>(
  kinds: readonly fc.Arbitrary<S>[],
  { minLength, maxLength } = { minLength: 50, maxLength: 200 },
): fc.Arbitrary<S[]> {
  return fc.array(fc.oneof(...kinds), { minLength, maxLength, size: "max" });
}

export interface Simulated {
  readonly pods: PodShelf;
  readonly isSettled: boolean;
  take(step: Step): void;
}

/** Gives everybody a turn until the wanted state is reached, or clearly never will be. */
export function settle(simulation: Simulated): void {
  const { pods } = simulation;
  for (let round = 0; round < 200 && !simulation.isSettled; round++) {
    for (const each of pods.all.keys()) simulation.take({ type: "ready", which: each });
    for (const each of pods.all.keys()) simulation.take({ type: "gone", which: each });
    pods.hear();
    simulation.take({ type: "controller" });
  }
}

// What can happen in a simulation of one controller and its pods, in any order.

import fc from "fast-check";
import type { Happening, PodShelf } from "./pod-shelf.ts";

export type Step =
  | { readonly type: "controller" }
  /** It hears of a pod. */
  | { readonly type: "hear"; readonly which: number }
  | Happening
  | { readonly type: "template"; readonly version: number };

/** One of however many there are. */
export const which = fc.nat(40);

/** The controller does its work and hears of it, and pods come up. */
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

/** Everybody gets his turn until all is as it should be, or it is plain that it never will. */
export function settle(simulation: Simulated): void {
  const { pods } = simulation;
  for (let round = 0; round < 200 && !simulation.isSettled; round++) {
    for (const each of pods.all.keys()) simulation.take({ type: "ready", which: each });
    for (const each of pods.all.keys()) simulation.take({ type: "gone", which: each });
    pods.hear();
    simulation.take({ type: "controller" });
  }
}

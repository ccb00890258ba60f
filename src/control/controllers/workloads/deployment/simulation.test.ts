import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Deployment } from "../../../../api/types/apps.ts";
import { isReady } from "../pods/state.ts";
import { deploymentOf, RolloutSimulation, type Step } from "../testing/rollout-simulation.ts";
import { flapping, stepsOf, template, which } from "../testing/steps.ts";
import { isComplete } from "./status.ts";

const share = fc.oneof(
  fc.nat(3),
  fc.nat(100).map((percent) => `${percent}%`),
);
const strategy = fc
  .record({ maxSurge: share, maxUnavailable: share })
  .map((rollingUpdate) => ({ type: "RollingUpdate" as const, rollingUpdate }));
/** Steps in which controllers reconcile, watches deliver, and pods start. */
const work: fc.Arbitrary<Step>[] = [
  fc.constant<Step>({ type: "deployment" }),
  fc.record({ type: fc.constant("replica set" as const), which, isHindered: fc.boolean() }),
  fc.record({
    type: fc.constant("hear" as const),
    of: fc.constantFrom("sets" as const, "pods" as const, "set status" as const),
    which,
  }),
  fc.record({ type: fc.constantFrom("ready" as const, "gone" as const), which }),
];
const trouble: fc.Arbitrary<Step>[] = [
  flapping,
  fc.record({ type: fc.constant("scale" as const), replicas: fc.nat(8) }),
  fc.record({ type: fc.constant("pause" as const), isPaused: fc.boolean() }),
];
const steps = (kinds: readonly fc.Arbitrary<Step>[]) =>
  stepsOf<Step>(kinds, { minLength: 100, maxLength: 300 });

function started(spec: Partial<Deployment["spec"]>): RolloutSimulation {
  const simulation = new RolloutSimulation(deploymentOf(spec));
  simulation.settle();
  return simulation;
}

function assertRolledOut(simulation: RolloutSimulation): void {
  const { deployment, limits, sets } = simulation;
  const { active } = simulation.pods;
  assert.equal(active.length, limits.desired);
  assert(active.every(isReady));
  const [image] = new Set(active.map(({ spec }) => spec.containers[0]?.image));
  const wanted = deployment.spec.template.spec?.containers[0]?.image;
  assert.equal(image ?? wanted, wanted);
  assert(isComplete(deployment.status ?? {}, limits));
  const sized = sets.all.filter(({ spec }) => (spec.replicas ?? 0) > 0);
  assert(sized.length <= 1);
}

test("however late everybody hears of it, a rollout never has too many pods or too few available", () => {
  const cases = fc.record({
    strategy,
    replicas: fc.integer({ min: 1, max: 7 }),
    taken: steps([...work, ...work, template]),
  });
  fc.assert(
    fc.property(cases, ({ strategy: chosen, replicas, taken }) => {
      const simulation = started({ replicas, strategy: chosen });
      const { maximum, minimum } = simulation.limits;
      for (const step of taken) {
        simulation.take(step);
        const { active, available } = simulation.pods;
        assert(active.length <= maximum, `${active.length} pods, ${maximum} allowed`);
        assert(available >= minimum, `${available} available, ${minimum} wanted`);
      }
      simulation.settle();
      assertRolledOut(simulation);
    }),
    { numRuns: 150 },
  );
});

test("whatever fails and whatever is changed, a deployment ends up as it should", () => {
  const cases = fc.record({
    strategy: fc.oneof(strategy, fc.constant({ type: "Recreate" as const })),
    replicas: fc.nat(7),
    taken: steps([...work, template, ...trouble]),
  });
  fc.assert(
    fc.property(cases, ({ strategy: chosen, replicas, taken }) => {
      const simulation = started({ replicas, strategy: chosen });
      for (const step of taken) simulation.take(step);
      simulation.take({ type: "pause", isPaused: false });
      simulation.settle();
      assertRolledOut(simulation);
    }),
    { numRuns: 150 },
  );
});

test("failures and flapping pods do not make a rollout exceed its surge", () => {
  fc.assert(
    fc.property(strategy, steps([...work, template, flapping]), (chosen, taken) => {
      const simulation = started({ replicas: 4, strategy: chosen });
      for (const step of taken) {
        simulation.take(step);
        assert(simulation.pods.active.length <= simulation.limits.maximum);
      }
    }),
    { numRuns: 100 },
  );
});

test("a recreated deployment never mixes versions", () => {
  fc.assert(
    fc.property(steps([...work, template]), (taken) => {
      const simulation = started({ replicas: 3, strategy: { type: "Recreate" as const } });
      for (const step of taken) {
        simulation.take(step);
        const running = simulation.pods.all.map(({ spec }) => spec.containers[0]?.image);
        assert(new Set(running).size <= 1);
      }
      simulation.settle();
      assertRolledOut(simulation);
    }),
    { numRuns: 100 },
  );
});

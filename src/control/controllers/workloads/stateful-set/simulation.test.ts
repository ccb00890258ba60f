import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ControllerRevision, StatefulSet } from "../../../../api/types/apps.ts";
import { isReady } from "../pods/state.ts";
import { newRevision } from "../revisions/revision.ts";
import { templateOf } from "../testing/objects.ts";
import { PodShelf } from "../testing/pod-shelf.ts";
import {
  type Step as CommonStep,
  flapping,
  settle,
  stepsOf,
  template,
  work,
} from "../testing/steps.ts";
import { ordinalOf, revisionOfPod, statefulPod } from "./identity.ts";
import { planStateful } from "./plan.ts";
import { nextStatefulStatus } from "./status.ts";

type Step = CommonStep | { readonly type: "scale"; readonly replicas: number };

class Simulation {
  set: StatefulSet;
  readonly pods = new PodShelf();
  readonly #revisions = new Map<string, ControllerRevision>();
  #now = Date.UTC(2026, 0, 1);

  constructor(spec: Partial<StatefulSet["spec"]>) {
    this.set = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { namespace: "default", name: "db", uid: "set", generation: 1 },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "db" } },
        template: templateOf(1, "db"),
        ...spec,
      },
    };
  }

  /** Whether all pods exist, of the last revision, and no others. */
  get isSettled(): boolean {
    const { replicas = 0 } = this.set.spec;
    const update = this.#revision().metadata.name;
    const numbers = this.pods.active.map((pod) => ordinalOf(this.set, pod) ?? -1);
    return (
      this.pods.all.length === replicas &&
      this.pods.active.every((pod) => isReady(pod) && revisionOfPod(pod) === update) &&
      Math.max(-1, ...numbers) === replicas - 1 &&
      this.set.status?.currentRevision === update
    );
  }

  take(step: Step): void {
    this.#now += 1000;
    if (step.type === "controller") this.#control();
    else if (step.type === "hear") this.pods.hear(step.which);
    else if (step.type === "template") this.#change({ template: templateOf(step.version, "db") });
    else if (step.type === "scale") this.#change({ replicas: step.replicas });
    else this.pods.live(step, { now: this.#now });
  }

  #control(): void {
    const update = this.#revision();
    const { currentRevision = "" } = this.set.status ?? {};
    const current = this.#revisions.get(currentRevision) ?? update;
    const state = { set: this.set, pods: this.pods.seen, current, update, now: this.#now };
    const plan = planStateful(state);
    for (const { ordinal, revision } of plan.create) {
      const draft = statefulPod(this.set, revision, ordinal);
      // A name that is taken is refused, as by a server.
      if (this.pods.all.some(({ metadata }) => metadata.name === draft.metadata.name)) return;
      this.pods.create({ apiVersion: "v1", kind: "Pod", ...draft }, this.#now);
    }
    for (const pod of plan.remove) this.pods.end(pod, this.#now);
    const status = nextStatefulStatus(state);
    if (status !== undefined) this.set = { ...this.set, status };
  }

  #revision(): ControllerRevision {
    const draft = newRevision(this.set, 1);
    const { name } = draft.metadata;
    const known = this.#revisions.get(name);
    if (known !== undefined) return known;
    const made = { apiVersion: "apps/v1", kind: "ControllerRevision", ...draft } as const;
    this.#revisions.set(name, made);
    return made;
  }

  #change(spec: Partial<StatefulSet["spec"]>): void {
    this.set = { ...this.set, spec: { ...this.set.spec, ...spec } };
  }
}

const scale: fc.Arbitrary<Step> = fc.record({
  type: fc.constant("scale" as const),
  replicas: fc.nat(5),
});
const policy = fc.constantFrom("OrderedReady", "Parallel");

test("an update never takes more pods than it may, whatever the policy", () => {
  const most = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(
      policy,
      most,
      stepsOf<Step>([...work, ...work, template]),
      (chosen, maxUnavailable, taken) => {
        const simulation = new Simulation({
          replicas: 4,
          podManagementPolicy: chosen,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
        });
        settle(simulation);
        for (const step of taken) {
          simulation.take(step);
          assert(simulation.pods.available >= 4 - maxUnavailable);
        }
        settle(simulation);
        assert(simulation.isSettled);
      },
    ),
    { numRuns: 150 },
  );
});

test("the first comes up in order: none before those below it are ready", () => {
  fc.assert(
    fc.property(stepsOf<Step>(work), (taken) => {
      const simulation = new Simulation({ replicas: 4 });
      for (const step of taken) {
        simulation.take(step);
        const byOrdinal = simulation.pods.active.toSorted((a, b) =>
          a.metadata.name < b.metadata.name ? -1 : 1,
        );
        assert(byOrdinal.slice(0, -1).every(isReady));
      }
      settle(simulation);
      assert(simulation.isSettled);
    }),
    { numRuns: 100 },
  );
});

test("whatever fails and whatever is changed, a set ends up as it should", () => {
  fc.assert(
    fc.property(policy, stepsOf<Step>([...work, template, flapping, scale]), (chosen, taken) => {
      const simulation = new Simulation({ podManagementPolicy: chosen });
      for (const step of taken) simulation.take(step);
      settle(simulation);
      assert(simulation.isSettled);
    }),
    { numRuns: 150 },
  );
});

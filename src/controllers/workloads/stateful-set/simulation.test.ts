import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ControllerRevision, StatefulSet } from "../../../api/types/apps.ts";
import type { Pod } from "../../../api/types/core.ts";
import { isActive, isReady } from "../pods/state.ts";
import { newRevision } from "../revisions/revision.ts";
import { readyStatus } from "../testing/objects.ts";
import { Shelf } from "../testing/shelf.ts";
import { ordinalOf, revisionOfPod, statefulPod } from "./identity.ts";
import { planStateful } from "./plan.ts";
import { nextStatefulStatus } from "./status.ts";

type Step =
  | { readonly type: "controller" }
  | { readonly type: "hear" | "ready" | "unready" | "fail" | "gone"; readonly which: number }
  | { readonly type: "template"; readonly version: number }
  | { readonly type: "scale"; readonly replicas: number };

class Simulation {
  set: StatefulSet;
  readonly pods = new Shelf<Pod>();
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
        template: templateOf(1),
        ...spec,
      },
    };
  }

  get active(): Pod[] {
    return this.pods.all.filter(isActive);
  }

  get available(): number {
    return this.active.filter(isReady).length;
  }

  /** All pods there, of the last revision, and none else. */
  get isDone(): boolean {
    const { replicas = 0 } = this.set.spec;
    const update = this.#revision().metadata.name;
    const numbers = this.active.map((pod) => ordinalOf(this.set, pod) ?? -1);
    return (
      this.pods.all.length === replicas &&
      this.active.every((pod) => isReady(pod) && revisionOfPod(pod) === update) &&
      Math.max(-1, ...numbers) === replicas - 1 &&
      this.set.status?.currentRevision === update
    );
  }

  take(step: Step): void {
    this.#now += 1000;
    if (step.type === "controller") this.#control();
    else if (step.type === "hear") this.pods.hear(step.which);
    else if (step.type === "template") this.#change({ template: templateOf(step.version) });
    else if (step.type === "scale") this.#change({ replicas: step.replicas });
    else this.#live(step.type, step.which);
  }

  settle(): void {
    for (let round = 0; round < 200 && !this.isDone; round++) {
      for (const which of this.pods.all.keys()) this.take({ type: "ready", which });
      for (const which of this.pods.all.keys()) this.take({ type: "gone", which });
      this.pods.hear();
      this.take({ type: "controller" });
    }
  }

  #control(): void {
    const update = this.#revision();
    const { currentRevision = "" } = this.set.status ?? {};
    const current = this.#revisions.get(currentRevision) ?? update;
    const state = { set: this.set, pods: this.pods.seen, current, update, now: this.#now };
    const plan = planStateful(state);
    for (const { ordinal, revision } of plan.create) {
      const draft = statefulPod(this.set, revision, ordinal);
      // As by a server: refused when the name is taken.
      if (this.pods.all.some(({ metadata }) => metadata.name === draft.metadata.name)) return;
      this.pods.create({ apiVersion: "v1", kind: "Pod", ...draft }, this.#now);
    }
    for (const pod of plan.remove) this.#end(pod);
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

  #end({ metadata }: Pod): void {
    const pod = this.pods.all.find((each) => each.metadata.uid === metadata.uid);
    if (pod === undefined) return;
    const deletionTimestamp = new Date(this.#now).toISOString();
    this.pods.update({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  #change(spec: Partial<StatefulSet["spec"]>): void {
    this.set = { ...this.set, spec: { ...this.set.spec, ...spec } };
  }

  #live(what: "ready" | "unready" | "fail" | "gone", which: number): void {
    const pods = what === "gone" ? this.pods.all.filter((pod) => !isActive(pod)) : this.active;
    const pod = pods[which % Math.max(1, pods.length)];
    if (pod === undefined) return;
    if (what === "gone") {
      if (pod.metadata.deletionTimestamp !== undefined) this.pods.delete(pod);
      return;
    }
    const phase = what === "fail" ? "Failed" : "Running";
    this.pods.change({ ...pod, status: what === "ready" ? readyStatus() : { phase } });
  }
}

function templateOf(version: number): StatefulSet["spec"]["template"] {
  return {
    metadata: { labels: { app: "db" } },
    spec: { containers: [{ name: "main", image: `image:${version}` }] },
  };
}

const which = fc.nat(20);
const work: fc.Arbitrary<Step>[] = [
  fc.constant<Step>({ type: "controller" }),
  fc.record({ type: fc.constantFrom("hear" as const, "ready" as const, "gone" as const), which }),
];
const template: fc.Arbitrary<Step> = fc.record({
  type: fc.constant("template" as const),
  version: fc.integer({ min: 1, max: 3 }),
});
const trouble: fc.Arbitrary<Step>[] = [
  fc.record({ type: fc.constantFrom("unready" as const, "fail" as const), which }),
  fc.record({ type: fc.constant("scale" as const), replicas: fc.nat(5) }),
];
const steps = (kinds: fc.Arbitrary<Step>[]) =>
  fc.array(fc.oneof(...kinds), { minLength: 50, maxLength: 200, size: "max" });
const policy = fc.constantFrom("OrderedReady", "Parallel");

test("an update never takes more pods than it may, whatever the policy", () => {
  const most = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(
      policy,
      most,
      steps([...work, ...work, template]),
      (chosen, maxUnavailable, taken) => {
        const simulation = new Simulation({
          replicas: 4,
          podManagementPolicy: chosen,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
        });
        simulation.settle();
        for (const step of taken) {
          simulation.take(step);
          assert(simulation.available >= 4 - maxUnavailable);
        }
        simulation.settle();
        assert(simulation.isDone);
      },
    ),
    { numRuns: 150 },
  );
});

test("the first comes up in order: none before those below it are ready", () => {
  fc.assert(
    fc.property(steps(work), (taken) => {
      const simulation = new Simulation({ replicas: 4 });
      for (const step of taken) {
        simulation.take(step);
        const byOrdinal = simulation.active.toSorted((a, b) =>
          a.metadata.name < b.metadata.name ? -1 : 1,
        );
        assert(byOrdinal.slice(0, -1).every(isReady));
      }
      simulation.settle();
      assert(simulation.isDone);
    }),
    { numRuns: 100 },
  );
});

test("whatever fails and whatever is changed, a set ends up as it should", () => {
  fc.assert(
    fc.property(policy, steps([...work, template, ...trouble]), (chosen, taken) => {
      const simulation = new Simulation({ podManagementPolicy: chosen });
      for (const step of taken) simulation.take(step);
      simulation.settle();
      assert(simulation.isDone);
    }),
    { numRuns: 150 },
  );
});

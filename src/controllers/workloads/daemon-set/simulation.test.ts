import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DaemonSet } from "../../../api/types/apps.ts";
import type { Node, Pod } from "../../../api/types/core.ts";
import { podFromTemplate } from "../pods/from-template.ts";
import { isActive, isReady } from "../pods/state.ts";
import { nodeOf, readyStatus } from "../testing/objects.ts";
import { Shelf } from "../testing/shelf.ts";
import { nodeOfPod, templateFor } from "./nodes.ts";
import { planDaemons } from "./plan.ts";

type Step =
  | { readonly type: "controller" }
  | { readonly type: "hear" | "ready" | "unready" | "fail" | "gone"; readonly which: number }
  | { readonly type: "template"; readonly version: number }
  | { readonly type: "node"; readonly which: number; readonly isThere: boolean };

/** A daemon set on a few nodes, whose controller hears late of its pods. */
class Simulation {
  readonly pods = new Shelf<Pod>();
  readonly nodes = new Map<string, Node>();
  readonly #set: DaemonSet;
  #version = 1;
  #names = 0;
  #now = Date.UTC(2026, 0, 1);

  constructor(rollingUpdate: object, nodes: number) {
    for (let index = 0; index < nodes; index++) this.nodes.set(`n${index}`, nodeOf(`n${index}`));
    this.#set = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { namespace: "default", name: "agent", uid: "set" },
      spec: {
        selector: { matchLabels: { app: "agent" } },
        template: { metadata: { labels: { app: "agent" } }, spec: { containers: [] } },
        updateStrategy: { type: "RollingUpdate", rollingUpdate },
      },
    };
  }

  get active(): Pod[] {
    return this.pods.all.filter(isActive);
  }

  /** Nodes without a pod that works. */
  get unavailable(): number {
    const served = new Set(this.active.filter(isReady).map(nodeOfPod));
    return [...this.nodes.keys()].filter((name) => !served.has(name)).length;
  }

  get isUpToDate(): boolean {
    const wanted = [...this.nodes.keys()].toSorted();
    const fresh = this.active.filter(
      ({ metadata }) => metadata.labels?.["controller-revision-hash"] === `v${this.#version}`,
    );
    const have = this.active.map(nodeOfPod).toSorted();
    return fresh.length === this.active.length && have.join() === wanted.join();
  }

  take(step: Step): void {
    this.#now += 1000;
    if (step.type === "controller") this.#control();
    else if (step.type === "hear") this.pods.hear(step.which);
    else if (step.type === "template") this.#version = step.version;
    else if (step.type === "node") {
      const name = `n${step.which % 5}`;
      if (step.isThere) this.nodes.set(name, nodeOf(name));
      else {
        this.nodes.delete(name);
        for (const pod of this.pods.all) {
          if (pod.spec.nodeName === name) this.pods.delete(pod);
        }
      }
    } else this.#live(step.type, step.which);
  }

  settle(): void {
    for (let round = 0; round < 100 && !(this.isUpToDate && this.unavailable === 0); round++) {
      for (const which of this.pods.all.keys()) this.take({ type: "ready", which });
      for (const which of this.pods.all.keys()) this.take({ type: "gone", which });
      this.pods.hear();
      this.take({ type: "controller" });
    }
  }

  #control(): void {
    const hash = `v${this.#version}`;
    const { seen: pods } = this.pods;
    const nodes = [...this.nodes.values()];
    const plan = planDaemons({ set: this.#set, nodes, pods, hash, now: this.#now }, () => 0);
    for (const node of plan.create) {
      const template = templateFor(this.#set.spec.template, node);
      const draft = podFromTemplate(this.#set, template, `p${++this.#names}`);
      const labels = { ...draft.metadata.labels, "controller-revision-hash": hash };
      const metadata = { ...draft.metadata, labels };
      this.pods.create({ apiVersion: "v1", kind: "Pod", ...draft, metadata }, this.#now);
    }
    for (const pod of plan.remove) this.#end(pod);
  }

  #end({ metadata }: Pod): void {
    const pod = this.pods.all.find((each) => each.metadata.uid === metadata.uid);
    if (pod === undefined) return;
    const deletionTimestamp = new Date(this.#now).toISOString();
    this.pods.update({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  #live(what: "ready" | "unready" | "fail" | "gone", which: number): void {
    const pods = what === "gone" ? this.pods.all.filter((pod) => !isActive(pod)) : this.active;
    const pod = pods[which % Math.max(1, pods.length)];
    if (pod === undefined) return;
    if (what === "gone") {
      if (pod.metadata.deletionTimestamp !== undefined) this.pods.delete(pod);
      return;
    }
    // Nobody gets anywhere on a node that is gone.
    if (!this.nodes.has(nodeOfPod(pod))) return;
    const phase = what === "fail" ? "Failed" : "Running";
    const status = what === "ready" ? readyStatus() : { phase };
    this.pods.change({ ...pod, spec: { ...pod.spec, nodeName: nodeOfPod(pod) }, status });
  }
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
  fc.record({ type: fc.constant("node" as const), which, isThere: fc.boolean() }),
];
const steps = (kinds: fc.Arbitrary<Step>[]) =>
  fc.array(fc.oneof(...kinds), { minLength: 50, maxLength: 200, size: "max" });

test("an update in place never leaves too many nodes without a pod that works", () => {
  const most = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(most, steps([...work, ...work, template]), (maxUnavailable, taken) => {
      const simulation = new Simulation({ maxUnavailable }, 5);
      simulation.settle();
      for (const step of taken) {
        simulation.take(step);
        assert(simulation.unavailable <= maxUnavailable);
        assert(simulation.active.length <= 5);
      }
      simulation.settle();
      assert(simulation.isUpToDate);
    }),
    { numRuns: 150 },
  );
});

test("an update with a surge leaves no node without a pod that works, and has few pods too many", () => {
  const most = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(most, steps([...work, ...work, template]), (maxSurge, taken) => {
      const simulation = new Simulation({ maxSurge, maxUnavailable: 0 }, 5);
      simulation.settle();
      for (const step of taken) {
        simulation.take(step);
        assert.equal(simulation.unavailable, 0);
        assert(simulation.active.length <= 5 + maxSurge);
      }
      simulation.settle();
      assert(simulation.isUpToDate);
    }),
    { numRuns: 150 },
  );
});

test("whatever fails, comes and goes, every node ends up with the right pod", () => {
  const limits = fc.constantFrom({ maxUnavailable: 1 }, { maxSurge: 1, maxUnavailable: 0 });
  fc.assert(
    fc.property(limits, steps([...work, template, ...trouble]), (rollingUpdate, taken) => {
      const simulation = new Simulation(rollingUpdate, 4);
      for (const step of taken) simulation.take(step);
      simulation.settle();
      assert(simulation.isUpToDate);
      assert.equal(simulation.unavailable, 0);
    }),
    { numRuns: 150 },
  );
});

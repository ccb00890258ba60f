import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { podFromTemplate } from "../pods/from-template.ts";
import { isReady } from "../pods/state.ts";
import { nodeOf } from "../testing/objects.ts";
import { PodShelf } from "../testing/pod-shelf.ts";
import {
  type Step as CommonStep,
  flapping,
  settle,
  stepsOf,
  template,
  which,
  work,
} from "../testing/steps.ts";
import { nodeOfPod, templateFor } from "./nodes.ts";
import { planDaemons } from "./plan.ts";

type Step =
  | CommonStep
  | { readonly type: "node"; readonly which: number; readonly isThere: boolean };

/** Simulates a DaemonSet on a few nodes, whose controller sees its pods late. */
class Simulation {
  readonly pods = new PodShelf();
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

  /** The number of nodes without an available pod. */
  get unavailable(): number {
    const served = new Set(this.pods.active.filter(isReady).map(nodeOfPod));
    return [...this.nodes.keys()].filter((name) => !served.has(name)).length;
  }

  get isUpToDate(): boolean {
    const wanted = [...this.nodes.keys()].toSorted();
    const fresh = this.pods.active.filter(
      ({ metadata }) => metadata.labels?.["controller-revision-hash"] === `v${this.#version}`,
    );
    const have = this.pods.active.map(nodeOfPod).toSorted();
    return fresh.length === this.pods.active.length && have.join() === wanted.join();
  }

  get isSettled(): boolean {
    return this.isUpToDate && this.unavailable === 0;
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
    } else this.pods.live(step, { now: this.#now, nodeOf: (pod) => this.#livingNodeOf(pod) });
  }

  /** Returns the pod's node; `undefined` if it is gone, since nothing happens to pods there. */
  #livingNodeOf(pod: Pod): string | undefined {
    const name = nodeOfPod(pod);
    return this.nodes.has(name) ? name : undefined;
  }

  #control(): void {
    const hash = `v${this.#version}`;
    const { seen: pods } = this.pods;
    const nodes = [...this.nodes.values()];
    const plan = planDaemons({ set: this.#set, nodes, pods, hash, now: this.#now }, () => 0);
    for (const node of plan.create) {
      const own = templateFor(this.#set.spec.template, node);
      const draft = podFromTemplate(this.#set, own, `p${++this.#names}`);
      const labels = { ...draft.metadata.labels, "controller-revision-hash": hash };
      const metadata = { ...draft.metadata, labels };
      this.pods.create({ apiVersion: "v1", kind: "Pod", ...draft, metadata }, this.#now);
    }
    for (const pod of plan.remove) this.pods.end(pod, this.#now);
  }
}

const nodes: fc.Arbitrary<Step> = fc.record({
  type: fc.constant("node" as const),
  which,
  isThere: fc.boolean(),
});

test("an update in place never leaves too many nodes without a pod that works", () => {
  const most = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(most, stepsOf<Step>([...work, ...work, template]), (maxUnavailable, taken) => {
      const simulation = new Simulation({ maxUnavailable }, 5);
      settle(simulation);
      for (const step of taken) {
        simulation.take(step);
        assert(simulation.unavailable <= maxUnavailable);
        assert(simulation.pods.active.length <= 5);
      }
      settle(simulation);
      assert(simulation.isUpToDate);
    }),
    { numRuns: 150 },
  );
});

test("an update with a surge leaves no node without a pod that works, and has few pods too many", () => {
  const most = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(most, stepsOf<Step>([...work, ...work, template]), (maxSurge, taken) => {
      const simulation = new Simulation({ maxSurge, maxUnavailable: 0 }, 5);
      settle(simulation);
      for (const step of taken) {
        simulation.take(step);
        assert.equal(simulation.unavailable, 0);
        assert(simulation.pods.active.length <= 5 + maxSurge);
      }
      settle(simulation);
      assert(simulation.isUpToDate);
    }),
    { numRuns: 150 },
  );
});

test("whatever fails, comes and goes, every node ends up with the right pod", () => {
  const limits = fc.constantFrom({ maxUnavailable: 1 }, { maxSurge: 1, maxUnavailable: 0 });
  fc.assert(
    fc.property(
      limits,
      stepsOf<Step>([...work, template, flapping, nodes]),
      (rollingUpdate, taken) => {
        const simulation = new Simulation(rollingUpdate, 4);
        for (const step of taken) simulation.take(step);
        settle(simulation);
        assert(simulation.isUpToDate);
        assert.equal(simulation.unavailable, 0);
      },
    ),
    { numRuns: 150 },
  );
});

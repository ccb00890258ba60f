// Simulation of a Deployment, its ReplicaSets and their pods, with controllers that see the others' writes
// late.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import { limitsOf } from "../deployment/limits.ts";
import { planDeployment } from "../deployment/plan.ts";
import { isControlledBy } from "../ownership.ts";
import { podFromTemplate } from "../pods/from-template.ts";
import { planReplicas } from "../replica-set/plan.ts";
import { nextStatus } from "../replica-set/status.ts";
import { templateOf } from "./objects.ts";
import { type Happening, PodShelf } from "./pod-shelf.ts";
import { Shelf } from "./shelf.ts";

export type Step =
  | { readonly type: "deployment" }
  /**
   * A step of a ReplicaSet's controller; a hindered one cannot delete anything, but still writes its status.
   */
  | { readonly type: "replica set"; readonly which: number; readonly isHindered?: boolean }
  | { readonly type: "hear"; readonly of: "sets" | "pods" | "set status"; readonly which: number }
  | Happening
  | { readonly type: "template"; readonly version: number }
  | { readonly type: "scale"; readonly replicas: number }
  | { readonly type: "pause"; readonly isPaused: boolean };

export class RolloutSimulation {
  deployment: Deployment;
  /** The ReplicaSets, watched by the Deployment's controller. */
  readonly sets = new Shelf<ReplicaSet>();
  /** The ReplicaSets as their own controller sees them, by name. */
  readonly #known = new Map<string, ReplicaSet>();
  /** The pods, watched by the ReplicaSets' controller. */
  readonly pods = new PodShelf();
  #now = Date.UTC(2026, 0, 1);
  #names = 0;

  constructor(deployment: Deployment) {
    this.deployment = deployment;
  }

  get limits() {
    return limitsOf(this.deployment);
  }

  take(step: Step): void {
    this.#now += 1000;
    if (step.type === "deployment") this.#rollOut();
    else if (step.type === "replica set") this.#keepReplicas(step);
    else if (step.type === "hear") this.#hear(step);
    else if (step.type === "template") this.#change({ template: templateOf(step.version) });
    else if (step.type === "scale") this.#change({ replicas: step.replicas });
    else if (step.type === "pause") this.#change({ paused: step.isPaused });
    else this.pods.live(step, { now: this.#now });
  }

  /** Gives every controller its turn until nothing changes any more. */
  settle(): void {
    let before = "";
    for (let round = 0; round < 500; round++) {
      for (const which of this.sets.all.keys()) this.take({ type: "replica set", which });
      for (const which of this.pods.all.keys()) this.take({ type: "ready", which });
      for (const which of this.pods.all.keys()) this.take({ type: "gone", which });
      this.take({ type: "deployment" });
      this.#hearAll();
      const now = JSON.stringify([
        this.sets.all,
        this.pods.all.map(({ metadata }) => metadata.name),
      ]);
      if (now === before) return;
      before = now;
    }
    throw new Error("Cannot settle: something changes again and again");
  }

  #rollOut(): void {
    const { deployment } = this;
    const plan = planDeployment({
      deployment,
      sets: this.sets.seen,
      hasPods: (set) =>
        this.pods.all.some((pod) => isControlledBy(pod, set) && !isFinishedPod(pod)),
      now: this.#now,
    });
    if (plan.create !== undefined) {
      const name = plan.create.metadata.name;
      if (this.sets.all.every(({ metadata }) => metadata.name !== name)) {
        this.sets.create({ apiVersion: "apps/v1", kind: "ReplicaSet", ...plan.create }, this.#now);
      }
    }
    for (const set of plan.update) if (!this.sets.update(set)) return;
    for (const set of plan.remove) this.sets.delete(set);
    if (plan.status !== undefined) this.deployment = { ...deployment, status: plan.status };
  }

  #keepReplicas({ which, isHindered = false }: Extract<Step, { type: "replica set" }>): void {
    const { all } = this.sets;
    const set = all[which % Math.max(1, all.length)];
    const keeper = set && (this.#known.get(set.metadata.name) ?? set);
    if (set === undefined || keeper === undefined) return;
    this.#known.set(set.metadata.name, keeper);
    const plan = planReplicas({ keeper, pods: this.pods.seen, neighbours: () => [] });
    for (let count = 0; count < plan.create; count++) {
      const draft = podFromTemplate(keeper, keeper.spec.template ?? {}, `p${++this.#names}`);
      this.pods.create({ apiVersion: "v1", kind: "Pod", ...draft }, this.#now);
    }
    if (!isHindered) for (const pod of plan.remove) this.pods.end(pod, this.#now);
    const status = nextStatus(keeper, plan, { failure: undefined, now: this.#now });
    if (status === undefined) return;
    // A stale write is refused, as by a server.
    if (keeper.metadata.resourceVersion !== set.metadata.resourceVersion) return;
    this.sets.change({ ...keeper, status });
    this.#hearSet(set.metadata.name);
  }

  #hear({ of, which }: Extract<Step, { type: "hear" }>): void {
    if (of === "pods") this.pods.hear(which);
    else if (of === "sets") this.sets.hear(which);
    else {
      const set = this.sets.all[which % Math.max(1, this.sets.all.length)];
      if (set !== undefined) this.#hearSet(set.metadata.name);
    }
  }

  #hearSet(name: string): void {
    const set = this.sets.all.find(({ metadata }) => metadata.name === name);
    if (set !== undefined) this.#known.set(name, set);
  }

  #hearAll(): void {
    this.sets.hear();
    this.pods.hear();
    for (const { metadata } of this.sets.all) this.#hearSet(metadata.name);
  }

  #change(spec: Partial<Deployment["spec"]>): void {
    const { metadata } = this.deployment;
    const generation = (metadata.generation ?? 0) + 1;
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation },
      spec: { ...this.deployment.spec, ...spec },
    };
  }
}

export function deploymentOf(spec: Partial<Deployment["spec"]> = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name: "web", uid: "deployment", generation: 1 },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: templateOf(1),
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
  };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Job } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { FakeRandom } from "../../../../base/host/random.fake.ts";
import { jobOf } from "../testing/job.ts";
import { PodShelf } from "../testing/pod-shelf.ts";
import { isFinishedJob, planJob } from "./plan.ts";
import { indexOf, isTracked, jobPod, trackingFinalizer } from "./pods.ts";

type Step =
  /** A run of the controller that is killed after so many writes. */
  | { readonly type: "controller"; readonly writes: number }
  | { readonly type: "hear"; readonly which: number }
  | { readonly type: "succeed" | "fail" | "delete" | "end"; readonly which: number }
  | { readonly type: "suspend"; readonly isSuspended: boolean };

class Simulation {
  job: Job;
  readonly pods = new PodShelf();
  /** The pods that have ended, or were being deleted, while the job was to count them. */
  readonly ended = new Set<string>();
  readonly succeeded = new Set<string>();
  readonly #random = new FakeRandom();
  #now = Date.UTC(2026, 0, 1);

  constructor(job: Job) {
    this.job = job;
  }

  take(step: Step): void {
    // Eleven minutes are longer than every back-off.
    this.#now += 11 * 60_000;
    if (step.type === "controller") this.#control(step.writes);
    else if (step.type === "hear") this.pods.hear(step.which);
    else if (step.type === "suspend") {
      this.job = { ...this.job, spec: { ...this.job.spec, suspend: step.isSuspended } };
    } else this.#live(step.type, step.which);
  }

  settle(): void {
    this.take({ type: "suspend", isSuspended: false });
    for (let round = 0; round < 200 && !isFinishedJob(this.job); round++) {
      this.pods.hear();
      this.take({ type: "controller", writes: 1000 });
      for (const which of this.pods.active.keys()) this.take({ type: "succeed", which });
      for (const which of this.pods.all.keys()) this.take({ type: "end", which });
    }
  }

  /** Writes in the order of the real controller. */
  #control(writes: number): void {
    const plan = planJob(this.job, this.pods.seen, this.#now);
    let left = writes;
    const mayWrite = () => left-- > 0;
    if (plan.status !== undefined) {
      if (!mayWrite()) return;
      this.job = { ...this.job, status: plan.status };
    }
    for (const pod of [...plan.release, ...plan.dismiss]) {
      if (!mayWrite() || !this.#release(pod)) return;
    }
    for (const { metadata } of [...plan.dismiss, ...plan.remove]) {
      if (!mayWrite()) return;
      const pod = this.pods.all.find(({ metadata: { uid } }) => uid === metadata.uid);
      if (pod !== undefined) this.#delete(pod, true);
    }
    for (const wanted of plan.create) {
      if (!mayWrite()) return;
      const draft = jobPod(this.job, { ...wanted, random: this.#random });
      this.pods.create({ apiVersion: "v1", kind: "Pod", ...draft }, this.#now);
    }
  }

  /** Removes the finalizer; refused, as by a server, if the pod has changed since. */
  #release(pod: Pod): boolean {
    const finalizers = (pod.metadata.finalizers ?? []).filter((each) => each !== trackingFinalizer);
    return this.pods.update({ ...pod, metadata: { ...pod.metadata, finalizers } });
  }

  #delete(pod: Pod, isByController: boolean): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const { uid = "" } = pod.metadata;
    if (isTracked(pod)) this.ended.add(uid);
    const deletionTimestamp = new Date(this.#now).toISOString();
    const next = { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
    if (isByController) this.pods.update(next);
    else this.pods.change(next);
  }

  #live(what: "succeed" | "fail" | "delete" | "end", which: number): void {
    if (what === "end") {
      const { all } = this.pods;
      const pod = all[which % Math.max(1, all.length)];
      const isFree = pod?.metadata.deletionTimestamp !== undefined && !isTracked(pod);
      if (pod !== undefined && isFree) this.pods.delete(pod);
      return;
    }
    const pod = this.pods.active[which % Math.max(1, this.pods.active.length)];
    if (pod === undefined) return;
    if (what === "delete") {
      this.#delete(pod, false);
      return;
    }
    const { uid = "" } = pod.metadata;
    if (isTracked(pod)) {
      this.ended.add(uid);
      if (what === "succeed") this.succeeded.add(uid);
    }
    const phase = what === "succeed" ? "Succeeded" : "Failed";
    this.pods.change({ ...pod, status: { phase } });
  }
}

const which = fc.nat(20);
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("controller" as const), writes: fc.nat(8) }),
    fc.record({
      type: fc.constantFrom(
        "hear" as const,
        "succeed" as const,
        "fail" as const,
        "delete" as const,
        "end" as const,
      ),
      which,
    }),
    fc.record({ type: fc.constant("suspend" as const), isSuspended: fc.boolean() }),
  ),
  { minLength: 20, maxLength: 150, size: "max" },
);
const numbers = {
  completions: fc.integer({ min: 1, max: 6 }),
  parallelism: fc.integer({ min: 1, max: 4 }),
};

test("every pod is counted once, however often the controller is killed", () => {
  fc.assert(
    fc.property(fc.record(numbers), steps, (spec, taken) => {
      const simulation = new Simulation(jobOf({ ...spec, backoffLimit: 1_000 }));
      let before = { succeeded: 0, failed: 0 };
      for (const step of taken) {
        simulation.take(step);
        assert(simulation.pods.active.length <= spec.parallelism);
        const { succeeded = 0, failed = 0 } = simulation.job.status ?? {};
        assert(succeeded >= before.succeeded && failed >= before.failed);
        before = { succeeded, failed };
      }
      simulation.settle();
      const { succeeded = 0, failed = 0, conditions } = simulation.job.status ?? {};
      assert(conditions?.some(({ type }) => type === "Complete"));
      assert.equal(succeeded + failed, simulation.ended.size);
      assert.equal(succeeded, spec.completions);
      assert(!simulation.pods.all.some(isTracked));
    }),
    { numRuns: 200 },
  );
});

test("every index of an indexed job is done once", () => {
  fc.assert(
    fc.property(fc.record(numbers), steps, (spec, taken) => {
      const job = jobOf({ ...spec, completionMode: "Indexed", backoffLimit: 1_000 });
      const simulation = new Simulation(job);
      for (const step of taken) {
        simulation.take(step);
        const indexes = simulation.pods.active.map(indexOf);
        assert.equal(new Set(indexes).size, indexes.length, "two pods of an index");
      }
      simulation.settle();
      assert.equal(simulation.job.status?.succeeded, spec.completions);
    }),
    { numRuns: 200 },
  );
});

test("a job that fails too often ends, and counts what it did", () => {
  fc.assert(
    fc.property(steps, fc.nat(3), (taken, backoffLimit) => {
      const simulation = new Simulation(jobOf({ completions: 50, parallelism: 3, backoffLimit }));
      for (const step of taken) simulation.take(step);
      for (let round = 0; round < 20; round++) simulation.take({ type: "fail", which: round });
      simulation.settle();
      const { succeeded = 0, failed = 0 } = simulation.job.status ?? {};
      assert.equal(succeeded + failed, simulation.ended.size);
      assert(isFinishedJob(simulation.job));
    }),
    { numRuns: 150 },
  );
});

// Jobs on a server, with the scheduler and nodes on paper.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isNotFound } from "../../src/api/client/errors.ts";
import type { ResourceClient } from "../../src/api/client/resource-client.ts";
import type { Job } from "../../src/api/types/batch.ts";
import type { Pod } from "../../src/api/types/core.ts";
import { until } from "../fixtures/controllers.ts";
import { startWorkloads, type WorkloadCluster, workloadEntries } from "../fixtures/workloads.ts";

describe("jobs", () => {
  let cluster: WorkloadCluster;
  let jobs: ResourceClient<Job>;
  let pods: ResourceClient<Pod>;
  before(async () => {
    cluster = await startWorkloads({
      count: 3,
      fate: ({ metadata }) => {
        const { fate } = metadata.labels ?? {};
        return fate === "fail" || fate === "ready" ? fate : "succeed";
      },
    });
    jobs = cluster.server.client.resource("batch/v1", "Job");
    pods = cluster.server.client.resource("v1", "Pod");
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const at = (name: string) => ({ namespace: "default", name });
  const create = (name: string, spec: Partial<Job["spec"]> = {}, fate = "succeed") =>
    jobs.create({
      metadata: at(name),
      spec: {
        template: {
          metadata: { labels: { fate } },
          spec: { containers: [{ name: "main", image: "image" }], restartPolicy: "Never" },
        },
        ...spec,
      },
    });
  const has = (condition: string) => (job: Job) =>
    job.status?.conditions?.some(({ type, status }) => type === condition && status === "True") ===
    true;
  const becomes = (name: string, condition: string) =>
    until(() => jobs.get(at(name)), has(condition));
  const podsOf = async (name: string) =>
    (await pods.list({ namespace: "default", labelSelector: `job-name=${name}` })).items;

  test("complete, and say so in full", async () => {
    await create("whole", { completions: 7, parallelism: 3 });
    const { status } = await becomes("whole", "Complete");
    assert.equal(status?.succeeded, 7);
    assert.deepEqual(status?.uncountedTerminatedPods, {});
    assert.deepEqual(
      status?.conditions?.map(({ type }) => type),
      ["SuccessCriteriaMet", "Complete"],
    );
    const left = await podsOf("whole");
    assert.equal(left.length, 7);
    assert(left.every(({ metadata }) => metadata.finalizers === undefined));
  });

  test("of completion mode Indexed complete every index once", async () => {
    await create("indexed", { completions: 5, parallelism: 2, completionMode: "Indexed" });
    const { status } = await becomes("indexed", "Complete");
    assert.deepEqual([status?.completedIndexes, status?.succeeded], ["0-4", 5]);
    const names = new Set((await podsOf("indexed")).map(({ spec }) => spec.hostname));
    assert.deepEqual(names, new Set([0, 1, 2, 3, 4].map((index) => `indexed-${index}`)));
  });

  test("fail when their pods do", async () => {
    await create("hopeless", { backoffLimit: 0 }, "fail");
    const { status } = await becomes("hopeless", "Failed");
    assert.equal(status?.failed, 1);
    assert.equal(status?.conditions?.at(-1)?.reason, "BackoffLimitExceeded");
  });

  test("fail when they take too long, and end their pods", async () => {
    await create("slow", { activeDeadlineSeconds: 1, parallelism: 2, completions: 2 }, "ready");
    const { status } = await becomes("slow", "Failed");
    assert.equal(status?.conditions?.at(-1)?.reason, "DeadlineExceeded");
    assert.equal(status?.failed, 2);
    await until(
      () => podsOf("slow"),
      (left) => left.length === 0,
    );
  });

  test("stop while they are suspended, and start anew", async () => {
    await create("paused", { parallelism: 2, completions: 2 }, "ready");
    await until(
      () => jobs.get(at("paused")),
      ({ status }) => status?.ready === 2,
    );
    await jobs.patch(at("paused"), { merge: { spec: { suspend: true } } });
    const { status } = await until(
      () => jobs.get(at("paused")),
      (job) => has("Suspended")(job) && (job.status?.active ?? 0) === 0,
    );
    assert.deepEqual([status?.failed, status?.startTime], [undefined, undefined]);
    await jobs.patch(at("paused"), { merge: { spec: { suspend: false } } });
    await until(
      () => jobs.get(at("paused")),
      (job) => job.status?.ready === 2,
    );
  });

  test("are deleted after their time, with their pods", async () => {
    await create("brief", { ttlSecondsAfterFinished: 0 });
    await until(
      () => jobs.get(at("brief")).then(() => true, isGone),
      (isThere) => !isThere,
    );
    await until(
      () => podsOf("brief"),
      (left) => left.length === 0,
    );
  });

  test("that are deleted let go of their pods", async () => {
    await create("gone", { parallelism: 2, completions: 2 }, "ready");
    await until(
      () => podsOf("gone"),
      (found) => found.length === 2,
    );
    await jobs.delete(at("gone"), { propagationPolicy: "Background" });
    await until(
      () => podsOf("gone"),
      (left) => left.length === 0,
    );
  });

  test("count right, however often their controller is replaced", async () => {
    await create("restless", { completions: 60, parallelism: 10 });
    const succeeded = async () =>
      (await podsOf("restless")).filter(({ status }) => status?.phase === "Succeeded").length;
    // Every term gets somewhere, and the last one has more to do than it may do at once.
    for (let term = 0; term < 12; term++) {
      await until(succeeded, (count) => count > 3 * term);
      await sleep(Math.random() * 40);
      await cluster.server.restart(workloadEntries);
    }
    const { status } = await becomes("restless", "Complete");
    assert.deepEqual([status?.succeeded, status?.failed], [60, undefined]);
    assert.equal((await podsOf("restless")).length, 60);
  });
});

function isGone(error: unknown): boolean {
  if (isNotFound(error)) return false;
  throw error;
}

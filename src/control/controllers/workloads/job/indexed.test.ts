import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Job, PodFailurePolicyRule } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { FakeRandom } from "../../../../base/host/random.fake.ts";
import { type JobPodParts, jobOf, jobPodOf } from "../testing/job.ts";
import { judgeFailure } from "./failure-policy.ts";
import { formatIndexes, parseIndexes } from "./index-set.ts";
import { planJob } from "./plan.ts";
import { jobPod } from "./pods.ts";

const now = Date.UTC(2026, 0, 1, 1);
const started = { startTime: "2026-01-01T00:00:00Z" };
const indexed = (spec: Partial<Job["spec"]> = {}, status: Job["status"] = started) =>
  jobOf({ completionMode: "Indexed", completions: 4, parallelism: 4, ...spec }, status);
const of = (index: number, parts: JobPodParts = {}) =>
  jobPodOf(`p${index}${parts.phase ?? ""}`, { index, ...parts });
const plan = (job: Job, pods: readonly Pod[] = []) => planJob(job, pods, now);
const conditions = (job: Job, pods: readonly Pod[]) =>
  (plan(job, pods).status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);

describe("an indexed job", () => {
  test("has a pod for each index that is not done", () => {
    const job = indexed({}, { ...started, completedIndexes: "1", succeeded: 1 });
    const { create } = plan(job, [of(2)]);
    assert.deepEqual(
      create.map(({ index }) => index),
      [0, 3],
    );
  });
  test("writes down which indexes are done", () => {
    const { status } = plan(indexed(), [
      of(0, { phase: "Succeeded" }),
      of(2, { phase: "Succeeded" }),
    ]);
    assert.deepEqual([status?.completedIndexes, status?.succeeded], ["0,2", 2]);
    assert.deepEqual(status?.uncountedTerminatedPods, {});
  });
  test("counts an index once, however many pods succeed with it", () => {
    const job = indexed({}, { ...started, completedIndexes: "0", succeeded: 1 });
    const { status, release } = plan(job, [of(0, { phase: "Succeeded" })]);
    assert.deepEqual([status?.succeeded ?? 1, release.length], [1, 1]);
  });
  test("sends away a second pod of an index", () => {
    const { dismiss } = plan(indexed(), [of(0), jobPodOf("twice", { index: 0 })]);
    assert.deepEqual(
      dismiss.map(({ metadata }) => metadata.name),
      ["twice"],
    );
  });
  test("tells its pods their index", () => {
    const draft = jobPod(indexed(), { index: 3, random: new FakeRandom() });
    assert.match(draft.metadata.name, /^work-3-[a-z0-9]{5}$/);
    assert.equal(draft.spec.hostname, "work-3");
    assert.equal(draft.metadata.labels?.["batch.kubernetes.io/job-completion-index"], "3");
    assert.equal(draft.spec.containers[0]?.env?.[0]?.name, "JOB_COMPLETION_INDEX");
  });
  test("fails an index that has failed too often, and itself when all others are done", () => {
    const job = indexed({ completions: 2, backoffLimitPerIndex: 1, backoffLimit: 100 });
    const failing = of(0, { phase: "Failed", failures: 1 });
    const { status } = plan(job, [failing, of(1)]);
    assert.equal(status?.failedIndexes, "0");
    assert.equal(status?.conditions, undefined);
    const rest = of(1, { phase: "Succeeded" });
    assert.deepEqual(conditions(job, [failing, rest]), ["FailureTarget FailedIndexes"]);
    const strict = indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 0, backoffLimit: 100 });
    assert.deepEqual(conditions(strict, [failing]), ["FailureTarget MaxFailedIndexesExceeded"]);
  });
  test("tries an index again, knowing how often it failed", () => {
    const job = indexed({ completions: 1, backoffLimitPerIndex: 3, backoffLimit: 100 });
    const { create } = plan(job, [of(0, { phase: "Failed", failures: 1 })]);
    assert.deepEqual(create, [{ index: 0, failures: 2, wait: 0 }]);
  });
  test("ends early when its success policy says so", () => {
    const job = indexed({
      successPolicy: { rules: [{ succeededIndexes: "2-3", succeededCount: 1 }] },
    });
    const pods = [of(0), of(2, { phase: "Succeeded" })];
    assert.deepEqual(conditions(job, pods), ["SuccessCriteriaMet SuccessPolicy"]);
    assert.equal(plan(job, pods).dismiss.length, 1);
  });
});

test("indexes are written short, and read back", () => {
  assert.equal(formatIndexes([5, 0, 2, 1, 8, 7]), "0-2,5,7,8");
  const sets = fc.uniqueArray(fc.nat(30));
  fc.assert(
    fc.property(sets, (indexes) => {
      const sorted = indexes.toSorted((a, b) => a - b);
      assert.deepEqual([...parseIndexes(formatIndexes(indexes))], sorted);
    }),
  );
});

describe("what a failed pod means", () => {
  const rules: PodFailurePolicyRule[] = [
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    { action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [42] } },
    { action: "FailIndex", onExitCodes: { operator: "NotIn", values: [1, 2] } },
  ];
  const job = jobOf({ podFailurePolicy: { rules }, completions: 1 }, started);
  const cases: [parts: JobPodParts, action: string][] = [
    [{ exitCode: 1 }, "Count"],
    [{ exitCode: 42 }, "FailJob"],
    [{ exitCode: 3 }, "FailIndex"],
    [{ exitCode: 42, conditions: [{ type: "DisruptionTarget", status: "True" }] }, "Ignore"],
    [{ exitCode: 42, conditions: [{ type: "DisruptionTarget", status: "False" }] }, "FailJob"],
  ];
  for (const [parts, action] of cases) {
    test(`${JSON.stringify(parts)} is ${action}`, () => {
      assert.equal(judgeFailure(job, jobPodOf("a", { phase: "Failed", ...parts })).action, action);
    });
  }
  test("one that is ignored is not counted, one that is fatal ends the job", () => {
    const ignored = jobPodOf("a", {
      phase: "Failed",
      conditions: [{ type: "DisruptionTarget", status: "True" }],
    });
    const { status, release } = plan(job, [ignored]);
    assert.deepEqual([status?.uncountedTerminatedPods, release.length], [{}, 1]);
    const fatal = jobPodOf("b", { phase: "Failed", exitCode: 42 });
    const [condition] = plan(job, [fatal]).status?.conditions ?? [];
    assert.deepEqual(
      [condition?.type, condition?.reason, condition?.message],
      [
        "FailureTarget",
        "PodFailurePolicy",
        "Container main for pod default/b failed with exit code 42 matching FailJob rule at index 1",
      ],
    );
  });
});

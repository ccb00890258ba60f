import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Job } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { type JobPodParts, jobOf, jobPodOf } from "../testing/job.ts";
import { planJob } from "./plan.ts";

const now = Date.UTC(2026, 0, 1, 1);
const started = { startTime: "2026-01-01T00:00:00Z" };
const plan = (job: Job, pods: readonly Pod[] = []) => planJob(job, pods, now);
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
const many = (count: number, parts: JobPodParts = {}) =>
  Array.from({ length: count }, (_, index) => jobPodOf(`p${index}`, parts));
const conditions = (job: Job, pods: readonly Pod[] = []) =>
  (plan(job, pods).status?.conditions ?? []).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );

describe("how many pods a job has", () => {
  const cases: [name: string, spec: Partial<Job["spec"]>, pods: Pod[], created: number][] = [
    ["one, to begin with", { completions: 1 }, [], 1],
    ["as many as may run at once", { completions: 9, parallelism: 3 }, [], 3],
    ["no more than are still to succeed", { completions: 2, parallelism: 5 }, [], 2],
    ["beside those that run", { completions: 9, parallelism: 3 }, many(2), 1],
    [
      "none for those that succeeded",
      { completions: 3, parallelism: 3 },
      many(2, { phase: "Succeeded" }),
      1,
    ],
    ["without a number, until one has succeeded", { parallelism: 3 }, many(1), 2],
    ["none more after that", { parallelism: 3 }, many(1, { phase: "Succeeded" }), 0],
    [
      "as one ends, another comes",
      { completions: 9, parallelism: 1 },
      many(1, { isEnding: true }),
      1,
    ],
    [
      "only when it has ended, if the job says so",
      { completions: 9, parallelism: 1, podReplacementPolicy: "Failed" },
      many(1, { isEnding: true }),
      0,
    ],
  ];
  for (const [name, spec, pods, created] of cases) {
    test(name, () => assert.equal(plan(jobOf(spec, started), pods).create.length, created));
  }

  test("too many are sent away, and not held against the job", () => {
    const { dismiss, remove } = plan(jobOf({ completions: 9, parallelism: 1 }, started), many(3));
    assert.deepEqual([dismiss.length, remove.length], [2, 0]);
  });
});

describe("after failures a job waits", () => {
  const job = jobOf({ completions: 1 }, started);
  const failedAt = (name: string, endedAt: string) =>
    jobPodOf(name, { phase: "Failed", endedAt, isTracked: false });
  const cases: [name: string, pods: Pod[], wait: number][] = [
    ["ten seconds", [failedAt("a", "2026-01-01T00:59:58Z")], 8_000],
    [
      "twice as long after the second",
      [failedAt("a", "2026-01-01T00:59:00Z"), failedAt("b", "2026-01-01T00:59:58Z")],
      18_000,
    ],
    [
      "ten minutes at most",
      Array.from({ length: 12 }, (_, index) => failedAt(`p${index}`, "2026-01-01T00:59:00Z")),
      540_000,
    ],
  ];
  for (const [name, pods, wait] of cases) {
    test(name, () => {
      const { create, againInMs } = plan(job, pods);
      assert.deepEqual([create.length, againInMs], [0, wait]);
    });
  }
  test("no more after a success, nor when the time is over", () => {
    const success = jobPodOf("s", {
      phase: "Succeeded",
      endedAt: "2026-01-01T00:59:59Z",
      isTracked: false,
    });
    const two = jobOf({ completions: 2 }, { ...started, succeeded: 1 });
    assert.equal(plan(two, [failedAt("a", "2026-01-01T00:59:58Z"), success]).create.length, 1);
    assert.equal(plan(job, [failedAt("a", "2026-01-01T00:59:00Z")]).create.length, 1);
  });
});

describe("counting", () => {
  test("goes from pod to uid to number", () => {
    const job = jobOf({ completions: 3, parallelism: 1 }, started);
    const pod = jobPodOf("a", { phase: "Succeeded" });
    const first = plan(job, [pod]);
    assert.deepEqual(first.status?.uncountedTerminatedPods, { succeeded: ["uid-a"] });
    assert.equal(first.status?.succeeded, undefined);
    assert.deepEqual(names(first.release), ["a"]);
    const again = plan({ ...job, status: first.status ?? {} }, [pod]);
    assert.equal(again.status, undefined);
    assert.deepEqual(names(again.release), ["a"]);
    const free = jobPodOf("a", { phase: "Succeeded", isTracked: false });
    for (const pods of [[free], []]) {
      const last = plan({ ...job, status: first.status ?? {} }, pods);
      assert.deepEqual(last.status?.uncountedTerminatedPods, {});
      assert.equal(last.status?.succeeded, 1);
      assert.deepEqual(last.release, []);
    }
  });

  test("of pods that end early counts them as failed", () => {
    const job = jobOf({ completions: 1 }, started);
    const { status } = plan(job, [jobPodOf("a", { isEnding: true })]);
    assert.deepEqual(status?.uncountedTerminatedPods, { failed: ["uid-a"] });
    const patient = jobOf({ completions: 1, podReplacementPolicy: "Failed" }, started);
    const waiting = plan(patient, [jobPodOf("a", { isEnding: true })]).status;
    assert.deepEqual(waiting?.uncountedTerminatedPods, {});
    assert.equal(waiting?.terminating, 1);
  });

  test("takes no more than so many at a time", () => {
    const job = jobOf({ completions: 900, parallelism: 900 }, started);
    const { status, release, againInMs } = plan(job, many(700, { phase: "Succeeded" }));
    assert.equal(status?.uncountedTerminatedPods?.succeeded?.length, 500);
    assert.deepEqual([release.length, againInMs], [500, 0]);
  });
});

describe("a job ends", () => {
  test("when enough have succeeded, after the last is counted", () => {
    const job = jobOf({ completions: 1 }, started);
    const met = ["SuccessCriteriaMet=True CompletionsReached"];
    assert.deepEqual(conditions(job, many(1, { phase: "Succeeded" })), met);
    const counted = jobOf({ completions: 1 }, { ...started, succeeded: 1 });
    const { status, remarks } = plan(counted, many(1, { phase: "Succeeded", isTracked: false }));
    assert.deepEqual(conditions(counted), [...met, "Complete=True CompletionsReached"]);
    assert.equal(status?.completionTime, "2026-01-01T01:00:00Z");
    assert.deepEqual(
      remarks.map(({ reason }) => reason),
      ["Completed"],
    );
  });

  test("when too many have failed, after the others are gone", () => {
    const job = jobOf({ completions: 5, parallelism: 2, backoffLimit: 0 }, started);
    const pods = [jobPodOf("a", { phase: "Failed" }), jobPodOf("b")];
    const { status, remove, create } = plan(job, pods);
    assert.deepEqual([names(remove), create], [["b"], []]);
    assert.deepEqual(conditions(job, pods), ["FailureTarget=True BackoffLimitExceeded"]);
    const ending = { ...job, status: status ?? {} };
    const free = jobPodOf("a", { phase: "Failed", isTracked: false });
    assert.deepEqual(
      conditions(ending, [free, jobPodOf("b", { isEnding: true, isTracked: false })]),
      ["FailureTarget=True BackoffLimitExceeded"],
    );
    assert.deepEqual(conditions(ending, [free]), [
      "FailureTarget=True BackoffLimitExceeded",
      "Failed=True BackoffLimitExceeded",
    ]);
  });

  test("when activeDeadlineSeconds have passed, and looks again at that moment", () => {
    const job = jobOf({ completions: 1, activeDeadlineSeconds: 3600 }, started);
    assert.deepEqual(conditions(job, many(1)), ["FailureTarget=True DeadlineExceeded"]);
    const later = jobOf({ completions: 1, activeDeadlineSeconds: 3660 }, started);
    assert.equal(plan(later, many(1)).againInMs, 60_000);
  });

  test("when containers were restarted too often", () => {
    const job = jobOf({ completions: 1, backoffLimit: 2 }, started);
    if (job.spec.template.spec !== undefined) job.spec.template.spec.restartPolicy = "OnFailure";
    const [pod] = many(1) as [Pod];
    const [container] = pod.status?.containerStatuses ?? [];
    if (container !== undefined) container.restartCount = 2;
    assert.deepEqual(conditions(job, [pod]), ["FailureTarget=True BackoffLimitExceeded"]);
  });

  test("and then nothing more is done, but what is held is let go", () => {
    const job = jobOf({}, { ...started, conditions: [{ type: "Complete", status: "True" }] });
    const { release, ...rest } = plan(job, many(2));
    assert.equal(release.length, 2);
    assert.deepEqual(
      [rest.status, rest.create, rest.remove, rest.dismiss],
      [undefined, [], [], []],
    );
    const deleted = jobOf();
    deleted.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    assert.deepEqual([plan(deleted, many(2)).release.length, plan(deleted).create], [2, []]);
  });
});

describe("a suspended job", () => {
  const suspended = jobOf({ completions: 2, parallelism: 2, suspend: true }, started);

  test("sends its pods away, and forgets when it started", () => {
    const { status, dismiss, create } = plan(suspended, many(2));
    assert.deepEqual([dismiss.length, create.length, status?.startTime], [2, 0, undefined]);
    assert.deepEqual(conditions(suspended, many(2)), ["Suspended=True JobSuspended"]);
  });
  test("starts anew when it is resumed", () => {
    const { status } = plan(suspended);
    const resumed = jobOf({ completions: 2, parallelism: 2 }, status);
    const next = plan(resumed);
    assert.deepEqual([next.create.length, next.status?.startTime], [2, "2026-01-01T01:00:00Z"]);
    assert.deepEqual(conditions(resumed), ["Suspended=False JobResumed"]);
  });
});

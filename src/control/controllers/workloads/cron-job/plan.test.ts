import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CronJob, Job } from "../../../../api/types/batch.ts";
import { newJob } from "./new-job.ts";
import { planCronJob } from "./plan.ts";

function cronJobOf(spec: Partial<CronJob["spec"]> = {}, status: CronJob["status"] = {}): CronJob {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      namespace: "default",
      name: "tidy",
      uid: "cron",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { schedule: "*/10 * * * *", jobTemplate: { spec: { template: {} } }, ...spec },
    status,
  };
}

const jobOf = (time: string, end?: "Complete" | "Failed"): Job => {
  const draft = newJob(cronJobOf(), Date.parse(time));
  const conditions = end === undefined ? [] : [{ type: end, status: "True" }];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    ...draft,
    metadata: { ...draft.metadata, uid: `uid-${draft.metadata.name}`, creationTimestamp: time },
    status: { conditions, ...(end === "Complete" ? { completionTime: time } : {}) },
  };
};
const plan = (cronJob: CronJob, now: string, jobs: readonly Job[] = []) =>
  planCronJob(cronJob, jobs, Date.parse(now));
const startAt = (cronJob: CronJob, now: string, jobs: readonly Job[] = []): string => {
  const { start } = plan(cronJob, now, jobs);
  return start === undefined ? "not" : new Date(start).toISOString().slice(11, 16);
};
const names = (jobs: readonly Job[]) => jobs.map(({ metadata }) => metadata.name);
const last = (lastScheduleTime: string) => ({ lastScheduleTime });

describe("a cron job starts", () => {
  const cases: [name: string, cronJob: CronJob, now: string, jobs: Job[], start: string][] = [
    ["not before its time", cronJobOf(), "2026-01-01T00:09:59Z", [], "not"],
    ["at its time", cronJobOf(), "2026-01-01T00:10:00Z", [], "00:10"],
    ["once", cronJobOf({}, last("2026-01-01T00:10:00Z")), "2026-01-01T00:10:05Z", [], "not"],
    ["late rather than never", cronJobOf(), "2026-01-01T00:19:00Z", [], "00:10"],
    ["only for the last of those it missed", cronJobOf(), "2026-01-01T05:03:00Z", [], "05:00"],
    ["however many those are", cronJobOf(), "2026-03-01T05:03:00Z", [], "05:00"],
    [
      "not too late, if it says so",
      cronJobOf({ startingDeadlineSeconds: 60 }),
      "2026-01-01T00:12:00Z",
      [],
      "not",
    ],
    [
      "within the time it gives itself",
      cronJobOf({ startingDeadlineSeconds: 60 }),
      "2026-01-01T00:10:59Z",
      [],
      "00:10",
    ],
    ["not while it is suspended", cronJobOf({ suspend: true }), "2026-01-01T00:10:00Z", [], "not"],
    [
      "by the clocks of its zone",
      cronJobOf({ schedule: "0 9 * * *", timeZone: "Europe/Berlin" }),
      "2026-01-01T08:00:00Z",
      [],
      "08:00",
    ],
    [
      "beside another",
      cronJobOf({}, last("2026-01-01T00:10:00Z")),
      "2026-01-01T00:20:00Z",
      [jobOf("2026-01-01T00:10:00Z")],
      "00:20",
    ],
    [
      "not beside another, if that is forbidden",
      cronJobOf({ concurrencyPolicy: "Forbid" }, last("2026-01-01T00:10:00Z")),
      "2026-01-01T00:20:00Z",
      [jobOf("2026-01-01T00:10:00Z")],
      "not",
    ],
    [
      "when the other is done",
      cronJobOf({ concurrencyPolicy: "Forbid" }, last("2026-01-01T00:10:00Z")),
      "2026-01-01T00:21:00Z",
      [jobOf("2026-01-01T00:10:00Z", "Complete")],
      "00:20",
    ],
    [
      "not without a schedule that can be read",
      cronJobOf({ schedule: "x" }),
      "2026-01-02T00:00:00Z",
      [],
      "not",
    ],
    [
      "not in a zone that is none",
      cronJobOf({ timeZone: "Mars/Base" }),
      "2026-01-02T00:00:00Z",
      [],
      "not",
    ],
  ];
  for (const [name, cronJob, now, jobs, start] of cases) {
    test(name, () => assert.equal(startAt(cronJob, now, jobs), start));
  }

  test("in the place of another, if it says so", () => {
    const cronJob = cronJobOf({ concurrencyPolicy: "Replace" }, last("2026-01-01T00:10:00Z"));
    const running = jobOf("2026-01-01T00:10:00Z");
    const { start, remove } = plan(cronJob, "2026-01-01T00:20:00Z", [running]);
    assert.deepEqual([start, names(remove)], [Date.UTC(2026, 0, 1, 0, 20), names([running])]);
  });

  test("and looks again when the next time comes", () => {
    assert.equal(plan(cronJobOf(), "2026-01-01T00:08:00Z").againInMs, 120_000);
    assert.equal(plan(cronJobOf(), "2026-01-01T00:12:00Z").againInMs, 480_000);
    assert.equal(plan(cronJobOf({ suspend: true }), "2026-01-01T00:08:00Z").againInMs, undefined);
  });

  test("and tells when it missed many", () => {
    const reasons = (now: string) => plan(cronJobOf(), now).remarks.map(({ reason }) => reason);
    assert.deepEqual(reasons("2026-01-01T05:00:00Z"), []);
    assert.deepEqual(reasons("2026-02-01T05:00:00Z"), ["TooManyMissedTimes"]);
  });
});

describe("a cron job keeps", () => {
  const times = ["00:10", "00:20", "00:30", "00:40", "00:50"].map((at) => `2026-01-01T${at}:00Z`);

  test("the last few jobs that ended", () => {
    const jobs = [
      ...times.map((time) => jobOf(time, "Complete")),
      jobOf("2026-01-01T00:55:00Z", "Failed"),
      jobOf("2026-01-01T00:56:00Z", "Failed"),
    ];
    const status = last("2026-01-01T00:56:00Z");
    const { remove } = plan(cronJobOf({}, status), "2026-01-01T00:57:00Z", jobs);
    assert.deepEqual(names(remove), names([jobs[0], jobs[1], jobs[5]] as Job[]));
    const none = cronJobOf({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }, status);
    assert.equal(plan(none, "2026-01-01T00:57:00Z", jobs).remove.length, 7);
  });

  test("a list of those that run, and when one last succeeded", () => {
    const [first, second] = [jobOf(times[0] ?? ""), jobOf(times[1] ?? "")];
    const before = cronJobOf({}, last("2026-01-01T00:20:00Z"));
    const { status } = plan(before, "2026-01-01T00:25:00Z", [first, second]);
    assert.deepEqual(
      status.active?.map(({ name }) => name),
      names([first, second]),
    );
    const done = jobOf(times[0] ?? "", "Complete");
    const later = plan({ ...before, status }, "2026-01-01T00:26:00Z", [done, second]);
    assert.equal(later.status.lastSuccessfulTime, "2026-01-01T00:10:00Z");
    assert.equal(later.status.active?.length, 1);
    assert.deepEqual(
      later.remarks.map(({ reason }) => reason),
      ["SawCompletedJob"],
    );
  });
});

test("a job of one time has one name", () => {
  const { metadata } = newJob(cronJobOf(), Date.UTC(2026, 0, 1, 0, 10));
  assert.equal(metadata.name, "tidy-29453770");
  assert.equal(
    metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"],
    "2026-01-01T00:10:00Z",
  );
});

// Plans what a CronJob does next.

import type { Remark } from "../../../../api/client/events.ts";
import type { CronJob, CronJobStatus, Job } from "../../../../api/types/batch.ts";
import type { ObjectReference } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { isTrue } from "../conditions.ts";
import { isFinishedJob } from "../job/plan.ts";
import { type Due, dueAt, mostMissed, scheduleFault } from "./due.ts";

export interface CronPlan {
  /** The time for which a job is to be created. */
  readonly start: number | undefined;
  readonly remove: readonly Job[];
  /** The status, without what `start` adds to it. */
  readonly status: CronJobStatus;
  readonly isStatusNew: boolean;
  readonly remarks: readonly Remark[];
  readonly againInMs: number | undefined;
}

export function planCronJob(cronJob: CronJob, jobs: readonly Job[], now: number): CronPlan {
  const status = nextStatus(cronJob, jobs);
  const isStatusNew = !sameJson(status, cronJob.status ?? {});
  const old = outlived(cronJob, jobs);
  const base = { status, isStatusNew, remove: old, start: undefined, againInMs: undefined };
  const remarks = completions(cronJob, jobs);
  const isAtRest =
    cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend === true;
  if (isAtRest) return { ...base, remarks };
  const fault = scheduleFault(cronJob);
  if (fault !== undefined) return { ...base, remarks: [...remarks, fault] };
  const due = dueAt(cronJob, now);
  const againInMs = due.next === undefined ? undefined : Math.max(0, due.next - now);
  const running = jobs.filter((job) => !isFinishedJob(job));
  const { concurrencyPolicy } = cronJob.spec;
  if (due.time === undefined) return { ...base, remarks, againInMs };
  remarks.push(...missedRemarks(due));
  if (concurrencyPolicy === "Forbid" && running.length > 0) {
    const message =
      "Not starting job because prior execution is running and concurrency policy is Forbid";
    remarks.push({ type: "Normal", reason: "JobAlreadyActive", message });
    return { ...base, remarks, againInMs };
  }
  const replaced = concurrencyPolicy === "Replace" ? running : [];
  return { ...base, start: due.time, remove: [...old, ...replaced], remarks, againInMs };
}

export function referenceToJob({ metadata }: Job): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    namespace,
    name,
    ...defined({ uid, resourceVersion }),
  };
}

/** Returns the status: which jobs run, and when one last succeeded. */
function nextStatus({ status = {} }: CronJob, jobs: readonly Job[]): CronJobStatus {
  const running = jobs.filter((job) => !isFinishedJob(job)).toSorted(byAge);
  const known = new Map((status.active ?? []).map((each) => [each.uid, each]));
  const active = running.map((job) => known.get(job.metadata.uid) ?? referenceToJob(job));
  const successes = jobs.flatMap(({ status: done }) => done?.completionTime ?? []);
  const lastSuccessfulTime = [...successes, status.lastSuccessfulTime ?? ""].toSorted().at(-1);
  return {
    ...(active.length === 0 ? {} : { active }),
    ...defined({ lastScheduleTime: status.lastScheduleTime }),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

/** Returns events for jobs that were running before and have ended. */
function completions({ status }: CronJob, jobs: readonly Job[]): Remark[] {
  const wasActive = new Set((status?.active ?? []).map(({ uid }) => uid));
  return jobs
    .filter((job) => wasActive.has(job.metadata.uid) && isFinishedJob(job))
    .map(({ metadata, status: done }) => {
      const end = isTrue(done?.conditions, "Complete") ? "Complete" : "Failed";
      const message = `Saw completed job: ${metadata.name}, condition: ${end}`;
      return { type: "Normal", reason: "SawCompletedJob", message };
    });
}

/** Returns the ended jobs beyond the history limits. */
function outlived({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const ended = jobs.filter(isFinishedJob).toSorted(byAge);
  const beyond = (type: string, limit: number): Job[] => {
    const meant = ended.filter(({ status }) => isTrue(status?.conditions, type));
    return meant.slice(0, Math.max(0, meant.length - limit));
  };
  return [
    ...beyond("Complete", successfulJobsHistoryLimit),
    ...beyond("Failed", failedJobsHistoryLimit),
  ].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function missedRemarks({ missed }: Due): Remark[] {
  if (missed < mostMissed) return [];
  const message =
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
  return [{ type: "Warning", reason: "TooManyMissedTimes", message }];
}

function byAge(left: Job, right: Job): number {
  const [a = "", b = ""] = [left, right].map(({ metadata }) => metadata.creationTimestamp);
  return a < b ? -1 : a > b ? 1 : left.metadata.name < right.metadata.name ? -1 : 1;
}

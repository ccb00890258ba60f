// The status of a job.

import type { Remark } from "../../../../api/client/events.ts";
import { timestamp } from "../../../../api/fields/timestamp.ts";
import type { Job, JobCondition, JobStatus } from "../../../../api/types/batch.ts";
import { defined } from "../../../../base/json/defined.ts";
import { isTrue, withCondition } from "../conditions.ts";
import type { Tally } from "./counting.ts";
import { formatIndexes } from "./index-set.ts";
import type { Verdict } from "./verdict.ts";

export interface Findings {
  readonly tally: Tally;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly verdict: Verdict | undefined;
  /** Whether no pod is left that could change anything. */
  readonly isOver: boolean;
  readonly now: number;
}

export interface NextStatus {
  readonly status: JobStatus;
  readonly remarks: readonly Remark[];
}

export function nextJobStatus(job: Job, findings: Findings): NextStatus {
  const { spec, status: before = {} } = job;
  const { tally, active, ready, terminating, verdict, now } = findings;
  const changes = conditionChanges(job, findings);
  const time = timestamp(now);
  const conditions = changes.reduce<JobCondition[]>(
    (sum, { type, status, reason, message }) =>
      withCondition(sum, { type, status, reason, message, lastProbeTime: time }, time),
    before.conditions ?? [],
  );
  const isSuspended = spec.suspend === true && verdict === undefined;
  const isComplete = isTrue(conditions, "Complete");
  const completionTime = before.completionTime ?? (isComplete ? time : undefined);
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(before.startTime === undefined || isSuspended ? {} : { startTime: before.startTime }),
    ...defined({ completionTime }),
    ...some({ active, succeeded: tally.succeeded, failed: tally.failed }),
    ...(tally.completedIndexes.size === 0
      ? {}
      : { completedIndexes: formatIndexes(tally.completedIndexes) }),
    ...(spec.backoffLimitPerIndex === undefined
      ? {}
      : { failedIndexes: formatIndexes(tally.failedIndexes) }),
    uncountedTerminatedPods: some({
      succeeded: [...tally.uncounted.succeeded],
      failed: [...tally.uncounted.failed],
    }),
    ready,
    terminating,
  };
  return { status, remarks: changes.flatMap(({ remark = [] }) => remark) };
}

interface ConditionChange {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly remark?: Remark;
}

/** Returns the conditions that are new or changed. */
function conditionChanges({ spec, status }: Job, { verdict, isOver }: Findings): ConditionChange[] {
  const conditions = status?.conditions;
  const changes: ConditionChange[] = [];
  const wasSuspended = isTrue(conditions, "Suspended");
  const isSuspended = spec.suspend === true && verdict === undefined;
  if (isSuspended && !wasSuspended) {
    const words = { reason: "JobSuspended", message: "Job suspended" };
    const remark: Remark = { type: "Normal", reason: "Suspended", message: words.message };
    changes.push({ type: "Suspended", status: "True", ...words, remark });
  }
  if (!isSuspended && wasSuspended) {
    const words = { reason: "JobResumed", message: "Job resumed" };
    const remark: Remark = { type: "Normal", reason: "Resumed", message: words.message };
    changes.push({ type: "Suspended", status: "False", ...words, remark });
  }
  if (verdict === undefined) return changes;
  const { type, reason, message } = verdict;
  if (!isTrue(conditions, type)) changes.push({ type, status: "True", reason, message });
  if (!isOver) return changes;
  const isWell = type === "SuccessCriteriaMet";
  const remark: Remark = isWell
    ? { type: "Normal", reason: "Completed", message: "Job completed" }
    : { type: "Warning", reason, message };
  const end = isWell ? "Complete" : "Failed";
  changes.push({ type: end, status: "True", reason, message, remark });
  return changes;
}

/** Returns the field, unless it is zero or empty. */
function some<T extends number | readonly unknown[]>(
  values: Readonly<Record<string, T>>,
): Record<string, T> {
  const isSome = (value: T) => (typeof value === "number" ? value > 0 : value.length > 0);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isSome(value)));
}

// Plans what a job does next.

import type { Remark } from "../../../../api/client/events.ts";
import { timestamp } from "../../../../api/fields/timestamp.ts";
import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { Job, JobStatus } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { againIn } from "../again.ts";
import { isTrue } from "../conditions.ts";
import { isActive, isReady, isTerminating } from "../pods/state.ts";
import { tallyPods } from "./counting.ts";
import { isTracked } from "./pods.ts";
import { type PodChanges, podChanges, type Wanted } from "./pods-wanted.ts";
import { nextJobStatus } from "./status.ts";
import { deadlineIn, verdictOn } from "./verdict.ts";

export interface JobPlan {
  /** The status to store before anything else; `undefined` if it is unchanged. */
  readonly status: JobStatus | undefined;
  readonly remarks: readonly Remark[];
  /** The pods that lose their finalizer. */
  readonly release: readonly Pod[];
  /** The pods that lose their finalizer and are then deleted, without being counted. */
  readonly dismiss: readonly Pod[];
  readonly remove: readonly Pod[];
  readonly create: readonly Wanted[];
  readonly againInMs: number | undefined;
}

export function isFinishedJob({ status }: Job): boolean {
  return isTrue(status?.conditions, "Complete") || isTrue(status?.conditions, "Failed");
}

export function planJob(given: Job, pods: readonly Pod[], now: number): JobPlan {
  const tracked = pods.filter(isTracked);
  // A finished job counts nothing any more, so that all its pods lose their finalizer.
  if (isFinishedJob(given) || given.metadata.deletionTimestamp !== undefined) {
    return { ...nothing, release: tracked };
  }
  const tally = tallyPods(given, pods);
  const active = pods.filter(isActive);
  const terminating = pods.filter((pod) => isTerminating(pod) && !isFinishedPod(pod));
  const verdict = verdictOn(given, { tally, active, now });
  const isSuspended = given.spec.suspend === true;
  const goesOn = verdict === undefined && !isSuspended;
  const job = goesOn ? withStart(given, now) : given;
  const phase = (wanted: string) => pods.filter(({ status }) => status?.phase === wanted);
  const ended = { succeeded: phase("Succeeded"), failed: phase("Failed") };
  const changes: PodChanges = goesOn
    ? podChanges(job, { tally, active, terminating, ...ended, now })
    : noChanges;
  const { status, remarks } = nextJobStatus(job, {
    tally,
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: terminating.length,
    verdict,
    isOver: active.length + terminating.length + tracked.length === 0,
    now,
  });
  const deadline = goesOn ? deadlineIn(job, now) : undefined;
  const isFailing = verdict?.type === "FailureTarget";
  return {
    status: sameJson(status, given.status) ? undefined : status,
    remarks,
    release: tally.release,
    dismiss: goesOn ? changes.dismiss : isFailing ? [] : active,
    remove: isFailing ? active : [],
    create: changes.create,
    againInMs: againIn(changes.againInMs, deadline, tally.isPartial ? 0 : undefined)?.againInMs,
  };
}

const noChanges: PodChanges = { create: [], dismiss: [], againInMs: undefined };

const nothing: JobPlan = {
  ...noChanges,
  status: undefined,
  remarks: [],
  release: [],
  remove: [],
};

/** Sets the start time when the job starts, and anew when it is resumed. */
function withStart(job: Job, now: number): Job {
  const wasSuspended = isTrue(job.status?.conditions, "Suspended");
  if (job.status?.startTime !== undefined && !wasSuspended) return job;
  return { ...job, status: { ...job.status, startTime: timestamp(now) } };
}

// Counts each finished pod exactly once, even if the controller is killed at any time: first its uid is
// written into the status, then the pod loses its finalizer, and only then the uid becomes a number.

import type { Job, JobStatus } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { isTerminating } from "../pods/state.ts";
import { judgeFailure } from "./failure-policy.ts";
import { parseIndexes } from "./index-set.ts";
import { failuresBefore, indexOf, isTracked } from "./pods.ts";

export interface Tally {
  /** The numbers that the status shall have. */
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** The completed indexes of an indexed job. */
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** The pods that lose their finalizer once the status is stored. */
  readonly release: readonly Pod[];
  /** The reason why the job shall fail, if a pod's failure means that. */
  readonly fatal: string | undefined;
  /** Whether there are more pods than fit into one status. */
  readonly isPartial: boolean;
}

/** Returns all successes and failures so far, whether counted as numbers or as uids. */
export function totals({ succeeded, failed, uncounted }: Tally) {
  return {
    succeeded: succeeded + uncounted.succeeded.length,
    failed: failed + uncounted.failed.length,
  };
}

const mostUncounted = 500;

export function tallyPods(job: Job, pods: readonly Pod[]): Tally {
  const { status = {} } = job;
  const isIndexed = job.spec.completionMode === "Indexed";
  const isTallied = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""));
  const known = settled(status, isTallied);
  const completed = parseIndexes(status.completedIndexes);
  const failedIndexes = parseIndexes(status.failedIndexes);
  const recorded = new Set([...known.uncounted.succeeded, ...known.uncounted.failed]);
  const newlySucceeded: string[] = [];
  const newlyFailed: string[] = [];
  const release: Pod[] = [];
  let fatal: string | undefined;
  let isPartial = false;
  for (const pod of pods.filter(isTracked)) {
    const { uid = "" } = pod.metadata;
    const isRecorded = recorded.has(uid);
    const fate = isRecorded ? "recorded" : fateOf(job, pod);
    if (fate === undefined) continue;
    if (
      recorded.size + newlySucceeded.length + newlyFailed.length >= mostUncounted &&
      !isRecorded
    ) {
      isPartial = true;
      continue;
    }
    release.push(pod);
    const index = indexOf(pod);
    if (fate === "succeeded") {
      if (!isIndexed) newlySucceeded.push(uid);
      else if (index !== undefined && index < (job.spec.completions ?? 0)) completed.add(index);
    }
    if (fate !== "failed") continue;
    const { action, message } = judgeFailure(job, pod);
    if (action === "Ignore") continue;
    if (action === "FailJob") fatal ??= message;
    newlyFailed.push(uid);
    if (index !== undefined && isIndexLost(job, pod, action)) failedIndexes.add(index);
  }
  const uncounted = {
    succeeded: [...known.uncounted.succeeded, ...newlySucceeded],
    failed: [...known.uncounted.failed, ...newlyFailed],
  };
  return {
    succeeded: isIndexed ? completed.size : known.succeeded,
    failed: known.failed,
    uncounted,
    completedIndexes: completed,
    failedIndexes,
    release,
    fatal,
    isPartial,
  };
}

/** Turns uids into numbers whose pods have lost their finalizer. */
function settled(status: JobStatus, tracked: ReadonlySet<string>) {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isFree = (uid: string): boolean => !tracked.has(uid);
  return {
    succeeded: (status.succeeded ?? 0) + succeeded.filter(isFree).length,
    failed: (status.failed ?? 0) + failed.filter(isFree).length,
    uncounted: {
      succeeded: succeeded.filter((uid) => tracked.has(uid)),
      failed: failed.filter((uid) => tracked.has(uid)),
    },
  };
}

/** Returns how a pod has ended; `undefined` if it has not. */
function fateOf(job: Job, pod: Pod): "succeeded" | "failed" | "dismissed" | undefined {
  const phase = pod.status?.phase;
  if (phase === "Succeeded") return "succeeded";
  if (phase === "Failed") return "failed";
  if (!isTerminating(pod)) return undefined;
  // A job that has succeeded does not count the pods that it then deletes as failures.
  const conditions = job.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === "SuccessCriteriaMet" && status === "True")) {
    return "dismissed";
  }
  const waitsForTheEnd = job.spec.podReplacementPolicy === "Failed";
  return waitsForTheEnd && phase !== "Pending" ? undefined : "failed";
}

/** Whether an index has failed once too often. */
function isIndexLost({ spec }: Job, pod: Pod, action: string): boolean {
  if (spec.backoffLimitPerIndex === undefined) return false;
  return action === "FailIndex" || failuresBefore(pod) + 1 > spec.backoffLimitPerIndex;
}

// Decides whether a job has succeeded, or can no longer succeed.

import type { Job, JobCondition } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { restartsOf } from "../pods/state.ts";
import { type Tally, totals } from "./counting.ts";
import { parseIndexes } from "./index-set.ts";

export interface Verdict {
  /** The condition that announces the job's outcome. */
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

export interface Evidence {
  readonly tally: Tally;
  readonly active: readonly Pod[];
  readonly now: number;
}

/** Returns the verdict; one that was recorded before stays. */
export function verdictOn(job: Job, evidence: Evidence): Verdict | undefined {
  return decided(job.status?.conditions) ?? failure(job, evidence) ?? success(job, evidence);
}

export function deadlineIn({ spec, status }: Job, now: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = spec;
  if (activeDeadlineSeconds === undefined || status?.startTime === undefined) return undefined;
  if (suspend === true) return undefined;
  return Math.max(0, Date.parse(status.startTime) + 1000 * activeDeadlineSeconds - now);
}

function decided(conditions: readonly JobCondition[] = []): Verdict | undefined {
  for (const { type, status, reason = "", message = "" } of conditions) {
    if (status !== "True") continue;
    if (type === "SuccessCriteriaMet" || type === "FailureTarget") return { type, reason, message };
  }
  return undefined;
}

function failure(job: Job, { tally, active, now }: Evidence): Verdict | undefined {
  const { spec } = job;
  const fail = (reason: string, message: string): Verdict => ({
    type: "FailureTarget",
    reason,
    message,
  });
  if (tally.fatal !== undefined) return fail("PodFailurePolicy", tally.fatal);
  const { backoffLimit = 6, maxFailedIndexes } = spec;
  if (totals(tally).failed > backoffLimit || isRestartedTooOften(job, active)) {
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (deadlineIn(job, now) === 0) {
    return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  const { failedIndexes, completedIndexes } = tally;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return fail("MaxFailedIndexesExceeded", message);
  }
  const isDone = failedIndexes.size + completedIndexes.size >= (spec.completions ?? Infinity);
  if (failedIndexes.size > 0 && isDone) return fail("FailedIndexes", "Job has failed indexes");
  return undefined;
}

/** Whether containers were restarted too often: restarts in place count as failures as well. */
function isRestartedTooOften({ spec }: Job, active: readonly Pod[]): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const { backoffLimit = 6 } = spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function success(job: Job, { tally, active }: Evidence): Verdict | undefined {
  const { completions } = job.spec;
  const type = "SuccessCriteriaMet";
  const rule = matchedRule(job, tally);
  if (rule !== undefined) {
    return { type, reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  }
  const { succeeded } = totals(tally);
  const isReached = completions === undefined ? succeeded > 0 : succeeded >= completions;
  if (!isReached || active.length > 0) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type, reason: "CompletionsReached", message };
}

function matchedRule({ spec }: Job, { completedIndexes }: Tally): number | undefined {
  const rules = spec.successPolicy?.rules ?? [];
  const found = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const wanted = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes);
    const done = [...completedIndexes].filter((index) => wanted?.has(index) ?? true).length;
    return done >= (succeededCount ?? wanted?.size ?? Infinity);
  });
  return found === -1 ? undefined : found;
}

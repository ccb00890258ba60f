// Decides whether a rollout progresses, is complete, or is stuck.

import type { Deployment, DeploymentSpec, DeploymentStatus } from "../../../../api/types/apps.ts";
import type { Limits } from "./limits.ts";
import { conditionOf, isComplete, type Sets, setCondition } from "./status.ts";

const type = "Progressing";
const done = "NewReplicaSetAvailable";
const late = "ProgressDeadlineExceeded";
const paused = "DeploymentPaused";

export interface ProgressOptions {
  readonly limits: Limits;
  readonly sets: Sets;
  readonly now: number;
}

export function setProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  { limits, sets, now }: ProgressOptions,
): void {
  const before = conditionOf(status, type);
  const isSettled =
    before?.reason === done && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (isSettled) return;
  const subject =
    sets.newest === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${sets.newest.metadata.name}"`;
  if (isComplete(status, limits)) {
    const message = `${subject} has successfully progressed.`;
    setCondition(status, { type, status: "True", reason: done, message }, { now });
  } else if (hasMoved(deployment.status ?? {}, status)) {
    const message = `${subject} is progressing.`;
    const news = { type, status: "True", reason: "ReplicaSetUpdated", message };
    setCondition(status, news, { now, isRenewed: true });
  } else if (deadlineIn(deployment.spec, status, now) === 0) {
    const message = `${subject} has timed out progressing.`;
    setCondition(status, { type, status: "False", reason: late, message }, { now });
  }
}

/** Returns how long until the rollout counts as stuck; `undefined` if it cannot be. */
export function deadlineIn(
  { progressDeadlineSeconds, paused: isPaused }: DeploymentSpec,
  status: DeploymentStatus | undefined,
  now: number,
): number | undefined {
  const condition = conditionOf(status, type);
  if (progressDeadlineSeconds === undefined || isPaused === true) return undefined;
  if (condition === undefined || [done, late].includes(condition.reason ?? "")) return undefined;
  const since = Date.parse(condition.lastUpdateTime ?? "");
  return Math.max(0, since + 1000 * progressDeadlineSeconds - now);
}

/** Sets the condition that tells whether the Deployment is paused or resumed. */
export function setPaused(spec: DeploymentSpec, status: DeploymentStatus, now: number): void {
  const before = conditionOf(status, type);
  // A rollout that has exceeded its deadline keeps that reason.
  if (before?.reason === late) return;
  const wasPaused = before?.reason === paused;
  const isPaused = spec.paused === true;
  if (isPaused === wasPaused) return;
  const news = isPaused
    ? { reason: paused, message: "Deployment is paused" }
    : { reason: "DeploymentResumed", message: "Deployment is resumed" };
  setCondition(status, { type, status: "Unknown", ...news }, { now });
}

/** Sets the condition that a ReplicaSet for the present template was created, or found among the old ones. */
export function setNewSet(
  status: DeploymentStatus,
  { name, isMade }: { readonly name: string; readonly isMade: boolean },
  now: number,
): void {
  const news = isMade
    ? { reason: "NewReplicaSetCreated", message: `Created new replica set "${name}"` }
    : { reason: "FoundNewReplicaSet", message: `Found new replica set "${name}"` };
  setCondition(status, { type, status: "True", ...news }, { now });
}

function hasMoved(old: DeploymentStatus, status: DeploymentStatus): boolean {
  const outdated = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) =>
    replicas - updatedReplicas;
  const more = (field: "updatedReplicas" | "readyReplicas" | "availableReplicas") =>
    (status[field] ?? 0) > (old[field] ?? 0);
  return (
    more("updatedReplicas") ||
    more("readyReplicas") ||
    more("availableReplicas") ||
    outdated(status) < outdated(old)
  );
}

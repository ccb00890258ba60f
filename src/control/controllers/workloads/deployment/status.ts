// The status of a Deployment, as `kubectl rollout status` reads it.

import { timestamp } from "../../../../api/fields/timestamp.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../../../api/types/apps.ts";
import { defined } from "../../../../base/json/defined.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { type Limits, total } from "./limits.ts";

export interface Sets {
  readonly newest: ReplicaSet | undefined;
  readonly all: readonly ReplicaSet[];
}

/** Returns the status with new counts; conditions stay as they are. */
export function countStatus(deployment: Deployment, { newest, all }: Sets): DeploymentStatus {
  const count = (
    field: "replicas" | "readyReplicas" | "availableReplicas" | "terminatingReplicas",
  ) => total(all, ({ status }) => status?.[field] ?? 0);
  const replicas = count("replicas");
  const availableReplicas = count("availableReplicas");
  const { collisionCount, conditions } = deployment.status ?? {};
  const counts = {
    replicas,
    updatedReplicas: newest?.status?.replicas ?? 0,
    readyReplicas: count("readyReplicas"),
    availableReplicas,
    unavailableReplicas: Math.max(0, replicas - availableReplicas),
    terminatingReplicas: count("terminatingReplicas"),
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0)),
    ...defined({ conditions, collisionCount }),
  };
}

export function isComplete(
  { replicas = 0, updatedReplicas = 0, availableReplicas = 0 }: DeploymentStatus,
  { desired }: Limits,
): boolean {
  return replicas === desired && updatedReplicas === desired && availableReplicas === desired;
}

export function conditionOf(
  status: DeploymentStatus | undefined,
  wanted: string,
): DeploymentCondition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

type News = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** Sets a condition; `isRenewed` updates its time even if the words are the same. */
export function setCondition(
  status: DeploymentStatus,
  news: News,
  { now, isRenewed = false }: { readonly now: number; readonly isRenewed?: boolean },
): void {
  const before = conditionOf(status, news.type);
  const isSame = before?.status === news.status && before.reason === news.reason;
  if (isSame && !isRenewed) return;
  const time = timestamp(now);
  const since = before?.status === news.status ? before.lastTransitionTime : undefined;
  const next = { ...news, lastUpdateTime: time, lastTransitionTime: since ?? time };
  status.conditions = [...(status.conditions ?? []).filter(({ type }) => type !== news.type), next];
}

export function setAvailability(status: DeploymentStatus, { minimum }: Limits, now: number): void {
  const isAvailable = (status.availableReplicas ?? 0) >= minimum;
  const news = isAvailable
    ? {
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
  setCondition(status, { type: "Available", ...news }, { now });
}

/** Copies a failure of a ReplicaSet into the Deployment's conditions. */
export function setReplicaFailure(
  status: DeploymentStatus,
  { newest, all }: Sets,
  now: number,
): void {
  const sets = newest === undefined ? all : [newest, ...all];
  const failures = sets.flatMap((set) => set.status?.conditions ?? []);
  const failure = failures.find(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) {
    const others = status.conditions?.filter(({ type }) => type !== "ReplicaFailure");
    if (others !== undefined) status.conditions = others;
    return;
  }
  const { type, status: value, reason = "", message = "" } = failure;
  setCondition(status, { type, status: value, reason, message }, { now });
}

export function isSameStatus(one: DeploymentStatus, other: DeploymentStatus | undefined): boolean {
  return sameJson(one, other ?? {});
}

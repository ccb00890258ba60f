// How many pods there may be during a rollout, and how many must be available.

import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import { countOf } from "../count-or-share.ts";

export interface Limits {
  readonly desired: number;
  /** Pods at most. */
  readonly maximum: number;
  /** Available pods at least. */
  readonly minimum: number;
}

export function limitsOf({ spec }: Deployment): Limits {
  const { replicas: desired = 1, strategy } = spec;
  if (strategy?.type === "Recreate") return { desired, maximum: desired, minimum: desired };
  const { maxSurge, maxUnavailable } = strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, desired, Math.ceil);
  const unavailable = countOf(maxUnavailable, desired, Math.floor);
  // Shares of a small number may both come out as nothing, and then nothing could ever move.
  const atLeastOne = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return {
    desired,
    maximum: desired === 0 ? 0 : desired + surge,
    minimum: desired - Math.min(desired, atLeastOne),
  };
}

/** What a set is meant to have. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/** What a set has or may have: it can be behind in deleting as well as in making. */
export function occupied(set: ReplicaSet): number {
  return Math.max(sizeOf(set), set.status?.replicas ?? 0);
}

/** What can be relied upon: what is about to be deleted is as good as gone. */
export function availableIn(set: ReplicaSet): number {
  return Math.min(sizeOf(set), set.status?.availableReplicas ?? 0);
}

/** Whether the set's controller has taken note of its size. */
export function isObserved({ metadata, status }: ReplicaSet): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

export function total(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

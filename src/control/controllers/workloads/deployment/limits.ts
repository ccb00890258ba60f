// Limits of a rollout: how many pods there may be, and how many must be available.

import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import { countOf } from "../count-or-share.ts";

export interface Limits {
  readonly desired: number;
  /** The most pods. */
  readonly maximum: number;
  /** The fewest available pods. */
  readonly minimum: number;
}

export function limitsOf({ spec }: Deployment): Limits {
  const { replicas: desired = 1, strategy } = spec;
  if (strategy?.type === "Recreate") return { desired, maximum: desired, minimum: desired };
  const { maxSurge, maxUnavailable } = strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, desired, Math.ceil);
  const unavailable = countOf(maxUnavailable, desired, Math.floor);
  // Shares of a small number may both be rounded to zero, and then no pod could ever be replaced.
  const atLeastOne = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return {
    desired,
    maximum: desired === 0 ? 0 : desired + surge,
    minimum: desired - Math.min(desired, atLeastOne),
  };
}

/** Returns the number of pods that a ReplicaSet is meant to have. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/**
 * Returns the number of pods that a ReplicaSet has or may have: its controller may be behind in deleting as
 * well as in creating.
 */
export function occupied(set: ReplicaSet): number {
  return Math.max(sizeOf(set), set.status?.replicas ?? 0);
}

/** Returns the number of available pods to rely on: those about to be deleted do not count. */
export function availableIn(set: ReplicaSet): number {
  return Math.min(sizeOf(set), set.status?.availableReplicas ?? 0);
}

/** Whether the ReplicaSet's controller has observed its size. */
export function isObserved({ metadata, status }: ReplicaSet): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

export function total(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

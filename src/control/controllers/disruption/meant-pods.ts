// Sums how many pods their controllers want.

import type { Pod } from "../../../api/types/core.ts";
import type { OwnerReference } from "../../../api/types/meta.ts";
import type { Namespaced } from "../workloads/ownership.ts";
import { controllerOf } from "../workloads/ownership.ts";

/** A workload with a number of replicas. */
export interface Scalable extends Namespaced {
  readonly spec: { readonly replicas?: number };
}

/** Finds the workload that an owner reference names; `undefined` if it has no number of replicas. */
export type FindScalable = (namespace: string, owner: OwnerReference) => Scalable | undefined;

/** Returns the expected number of pods: each controller counts once, pods without a controller not at all. */
export function meantPods(pods: readonly Pod[], find: FindScalable): number {
  const sizes = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) continue;
    const keeper = outermost(pod, owner, find);
    sizes.set(keeper.metadata.uid ?? "", keeper.spec.replicas ?? 1);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** Returns the topmost workload, since the size of a ReplicaSet is set by its Deployment. */
function outermost({ metadata }: Namespaced, owner: OwnerReference, find: FindScalable): Scalable {
  const found = find(metadata.namespace, owner);
  if (found === undefined) {
    throw new Error(`Cannot tell how many pods ${owner.kind} ${owner.name} is meant to have`);
  }
  const above = controllerOf(found);
  return (above && find(metadata.namespace, above)) ?? found;
}

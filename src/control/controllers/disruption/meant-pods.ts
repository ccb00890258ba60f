// How many pods their controllers want there to be.

import type { Pod } from "../../../api/types/core.ts";
import type { OwnerReference } from "../../../api/types/meta.ts";
import type { Namespaced } from "../workloads/ownership.ts";
import { controllerOf } from "../workloads/ownership.ts";

/** What can be told to have more or fewer pods. */
export interface Scalable extends Namespaced {
  readonly spec: { readonly replicas?: number };
}

/** Finds what a reference of an object in a namespace is about; nothing if it has no size. */
export type FindScalable = (namespace: string, owner: OwnerReference) => Scalable | undefined;

/** Each controller counts once, and pods that nobody keeps not at all. */
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

/** A replica set does what its deployment says. */
function outermost({ metadata }: Namespaced, owner: OwnerReference, find: FindScalable): Scalable {
  const found = find(metadata.namespace, owner);
  if (found === undefined) {
    throw new Error(`Cannot tell how many pods ${owner.kind} ${owner.name} is meant to have`);
  }
  const above = controllerOf(found);
  return (above && find(metadata.namespace, above)) ?? found;
}

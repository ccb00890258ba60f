// What to do so that there are as many pods as there should be.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { claim } from "../ownership.ts";
import { deletionOrder } from "../pods/deletion-order.ts";
import { isActive, isTerminating } from "../pods/state.ts";
import { type ReplicaKeeper, wantedBy } from "./keeper.ts";

export interface ReplicaState {
  readonly keeper: ReplicaKeeper;
  /** Its own, and those of the namespace without a controller. */
  readonly pods: readonly Pod[];
  /** Pods of the same kind that others keep, such as the sets of one deployment. */
  readonly neighbours: () => readonly Pod[];
}

export interface ReplicaPlan {
  readonly adopt: readonly Pod[];
  readonly release: readonly Pod[];
  /** How many to make. */
  readonly create: number;
  readonly remove: readonly Pod[];
  /** All of its pods that are not over, to be adopted or deleted ones included. */
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
}

/** No more than so many at a time, so that others get their turn. */
const burst = 500;

export function planReplicas({ keeper, pods, neighbours }: ReplicaState): ReplicaPlan {
  const { replicas, selector } = wantedBy(keeper);
  const ours = claim(keeper, pods, ({ metadata }) => selector.matchesLabels(metadata.labels));
  const active = ours.kept.filter(isActive);
  const isEnding = keeper.metadata.deletionTimestamp !== undefined;
  const surplus = isEnding ? 0 : active.length - replicas;
  return {
    adopt: ours.adopt.filter(isActive),
    release: ours.release.filter(isActive),
    create: Math.min(burst, Math.max(0, -surplus)),
    remove: surplus > 0 ? dispensable(active, neighbours()).slice(0, Math.min(burst, surplus)) : [],
    active,
    terminating: ours.kept.filter((pod) => isTerminating(pod) && !isFinishedPod(pod)),
  };
}

function dispensable(active: readonly Pod[], neighbours: readonly Pod[]): Pod[] {
  return deletionOrder(active, [...active, ...neighbours.filter(isActive)]);
}

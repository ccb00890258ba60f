// Plans which pods to create and to delete, so that there are as many as wanted.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { claim } from "../ownership.ts";
import { deletionOrder } from "../pods/deletion-order.ts";
import { isActive, isTerminating } from "../pods/state.ts";
import { type ReplicaKeeper, wantedBy } from "./keeper.ts";

export interface ReplicaState {
  readonly keeper: ReplicaKeeper;
  /** The owner's pods, and those of the namespace without a controller. */
  readonly pods: readonly Pod[];
  /** Returns pods of the same kind that others own, such as the other ReplicaSets of a Deployment. */
  readonly neighbours: () => readonly Pod[];
}

export interface ReplicaPlan {
  readonly adopt: readonly Pod[];
  readonly release: readonly Pod[];
  /** The number of pods to create. */
  readonly create: number;
  readonly remove: readonly Pod[];
  /** All unfinished pods of the owner, including those to be adopted or deleted. */
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
}

/** The most pods at a time, so that other workloads get their turn. */
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

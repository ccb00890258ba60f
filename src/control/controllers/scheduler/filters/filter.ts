// What rules a node out for a pod.

import type { ClusterState, NodeState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";

/** Why a node does not do, in words that can be counted: `2 Insufficient cpu`. None if it does. */
export type Objections = readonly string[];

export type Check = (node: NodeState) => Objections;

/** A change of the cluster after which a pod that found no node may find one. */
export type Change = "node" | "pod gone" | "pod placed" | "namespace";

export interface Filter {
  readonly name: string;
  /** What can lift an objection. */
  readonly liftedBy: readonly Change[];
  /** Reads what is the same for all nodes; nothing if there is nothing to check. */
  prepare(pod: PodNeeds, state: ClusterState): Check | undefined;
}

export const fits: Objections = [];

// Filters exclude nodes for a pod.

import type { ClusterState, NodeState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";

/**
 * The reasons why a node does not fit, in words that can be counted: `2 Insufficient cpu`. Empty if it fits.
 */
export type Objections = readonly string[];

export type Check = (node: NodeState) => Objections;

/** A change of the cluster after which an unschedulable pod may fit. */
export type Change = "node" | "pod gone" | "pod placed" | "namespace" | "storage";

export interface Filter {
  readonly name: string;
  /** The changes that can lift an objection. */
  readonly liftedBy: readonly Change[];
  /** Whether an objection may end when pods leave the node. */
  readonly isLiftedByPreemption?: true;
  /** Returns why the pod fits no node at all, if so. */
  refuse?(pod: PodNeeds, state: ClusterState): string | undefined;
  /** Prepares what is the same for all nodes; `undefined` if there is nothing to check. */
  prepare(pod: PodNeeds, state: ClusterState): Check | undefined;
}

export const fits: Objections = [];

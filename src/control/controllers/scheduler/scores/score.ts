// What makes one node better for a pod than another.

import type { ClusterState, NodeState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";

export interface Score {
  readonly name: string;
  readonly weight: number;
  /** From 0 to 100 for each node, in their order; nothing if all are alike. */
  rate(pod: PodNeeds, nodes: readonly NodeState[], state: ClusterState): number[] | undefined;
}

export const best = 100;

/** The most becomes 100 and the least 0; nothing if all are the same. */
export function stretched(values: readonly number[]): number[] | undefined {
  const high = Math.max(...values);
  const low = Math.min(...values);
  return high === low ? undefined : values.map((value) => (best * (value - low)) / (high - low));
}

/** The fewer the better: 0 of something is 100. */
export function fewest(values: readonly number[]): number[] | undefined {
  return stretched(values.map((value) => -value));
}

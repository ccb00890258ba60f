// Scores rate how well nodes fit a pod.

import type { ClusterState, NodeState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";

export interface Score {
  readonly name: string;
  readonly weight: number;
  /** Rates each node from 0 to 100, in their order; `undefined` if all are alike. */
  rate(pod: PodNeeds, nodes: readonly NodeState[], state: ClusterState): number[] | undefined;
}

export const best = 100;

/** Scales values so that the largest becomes 100 and the smallest 0; `undefined` if all are equal. */
export function stretched(values: readonly number[]): number[] | undefined {
  const high = Math.max(...values);
  const low = Math.min(...values);
  return high === low ? undefined : values.map((value) => (best * (value - low)) / (high - low));
}

/** Scales values so that fewer are better: the smallest becomes 100. */
export function fewest(values: readonly number[]): number[] | undefined {
  return stretched(values.map((value) => -value));
}

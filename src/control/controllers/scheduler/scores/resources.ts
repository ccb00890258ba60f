// Scores nodes by free resources, and by how evenly CPU and memory would be used.

import type { NodeState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";
import { best, type Score } from "./score.ts";

export const leastAllocated: Score = {
  name: "NodeResourcesFit",
  weight: 1,
  rate: (pod, nodes) =>
    nodes.map((node) => {
      const [cpu, memory] = usedShares(pod, node);
      return (best * (2 - cpu - memory)) / 2;
    }),
};

export const balanced: Score = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  rate: (pod, nodes) =>
    nodes.map((node) => {
      const [cpu, memory] = usedShares(pod, node);
      return best * (1 - Math.abs(cpu - memory) / 2);
    }),
};

/** Returns the shares of CPU and memory that would be used with the pod, 1 at most. */
function usedShares(pod: PodNeeds, { allocatable, likely }: NodeState): [number, number] {
  const share = (resource: "cpu" | "memory"): number => {
    const total = allocatable.get(resource) ?? 0;
    return total === 0 ? 1 : Math.min(1, (likely[resource] + pod.likely[resource]) / total);
  };
  return [share("cpu"), share("memory")];
}

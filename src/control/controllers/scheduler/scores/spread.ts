// Scores nodes so that pods of a kind are spread: over nodes, then over zones, or as the pod's own
// constraints say.

import { ownLabel } from "../../../../api/selectors/node-selector.ts";
import type { ClusterState, NodeState } from "../cluster-state.ts";
import { countByDomain } from "../filters/spread.ts";
import type { PodNeeds } from "../pod-needs.ts";
import { fewest, type Score } from "./score.ts";

const zoneLabel = "topology.kubernetes.io/zone";

export const spread: Score = {
  name: "PodTopologySpread",
  weight: 2,
  rate(pod, nodes, state) {
    const wishes = pod.spread.filter(({ isRequired }) => !isRequired);
    if (wishes.length > 0) return fewest(wishedCounts(pod, nodes, state));
    if (pod.spread.length > 0 || pod.controller === "") return undefined;
    return fewest(siblingCounts(pod, nodes, state));
  },
};

/**
 * Returns weighted counts for the preferred constraints. Counts of constraints with many domains weigh more,
 * since each domain then holds fewer pods.
 */
function wishedCounts(pod: PodNeeds, nodes: readonly NodeState[], state: ClusterState): number[] {
  const wishes = pod.spread.filter(({ isRequired }) => !isRequired);
  const parts = wishes.map((constraint) => {
    const counts = countByDomain(pod, state, { constraint, all: wishes });
    const weight = Math.log(counts.size + 2);
    const most = Math.max(0, ...counts.values());
    return ({ node }: NodeState): number => {
      const domain = ownLabel(node.metadata.labels, constraint.topologyKey);
      // Nodes outside of all domains come last.
      const count = domain === undefined ? most + constraint.maxSkew : (counts.get(domain) ?? 0);
      return weight * count;
    };
  });
  return nodes.map((node) => parts.reduce((sum, part) => sum + part(node), 0));
}

function siblingCounts(
  { controller }: PodNeeds,
  nodes: readonly NodeState[],
  state: ClusterState,
): number[] {
  const byNode = state.siblings(controller);
  const zoneOf = ({ node }: NodeState) => ownLabel(node.metadata.labels, zoneLabel);
  const byZone = new Map<string, number>();
  const sizes = new Map<string, number>();
  for (const node of state.nodes) {
    const zone = zoneOf(node);
    if (zone === undefined) continue;
    byZone.set(zone, (byZone.get(zone) ?? 0) + (byNode.get(node.name) ?? 0));
    sizes.set(zone, (sizes.get(zone) ?? 0) + 1);
  }
  return nodes.map((node) => {
    const zone = zoneOf(node);
    const inZone = zone === undefined ? 0 : (byZone.get(zone) ?? 0) / (sizes.get(zone) ?? 1);
    return (byNode.get(node.name) ?? 0) + inZone;
  });
}

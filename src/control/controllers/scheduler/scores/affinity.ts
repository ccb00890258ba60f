// Preferred pod affinity and anti-affinity, of the pods that are placed as well as of the new one.

import { ownLabel } from "../../../../api/selectors/node-selector.ts";
import type { ClusterState, Placed } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";
import type { PodTerm } from "../pod-terms.ts";
import { type Score, stretched } from "./score.ts";

/**
 * The weight of a required term as a preference: a pod that requires a neighbour would like more of the kind.
 */
const requiredWeight = 1;

export const podPreferences: Score = {
  name: "InterPodAffinity",
  weight: 2,
  rate(pod, nodes, state) {
    const tally = new Map<string, Map<string, number>>();
    const add = (term: PodTerm, { nodeName }: Placed, weight: number): void => {
      const { topologyKey } = term;
      const value = ownLabel(state.node(nodeName)?.node.metadata.labels, topologyKey);
      if (value === undefined) return;
      const values = tally.get(topologyKey) ?? new Map<string, number>();
      tally.set(topologyKey, values.set(value, (values.get(value) ?? 0) + weight));
    };
    countOwnWishes(pod, state, add);
    countWishesOfOthers(pod, state, add);
    if (tally.size === 0) return undefined;
    return stretched(
      nodes.map(({ node }) => {
        let sum = 0;
        for (const [topologyKey, values] of tally) {
          sum += values.get(ownLabel(node.metadata.labels, topologyKey) ?? "") ?? 0;
        }
        return sum;
      }),
    );
  },
};

type Add = (term: PodTerm, placed: Placed, weight: number) => void;

function countOwnWishes({ near, far }: PodNeeds, state: ClusterState, add: Add): void {
  const wishes = [
    ...near.preferred.map((term) => ({ term, weight: term.weight })),
    ...far.preferred.map((term) => ({ term, weight: -term.weight })),
  ];
  if (wishes.length === 0) return;
  for (const placed of state.placed) {
    for (const { term, weight } of wishes) {
      if (term.matches(placed.needs, state.namespaceLabels)) add(term, placed, weight);
    }
  }
}

function countWishesOfOthers(pod: PodNeeds, state: ClusterState, add: Add): void {
  for (const placed of state.opinionated.values()) {
    const { near, far } = placed.needs;
    const count = (term: PodTerm, weight: number): void => {
      if (term.matches(pod, state.namespaceLabels)) add(term, placed, weight);
    };
    for (const term of near.required) count(term, requiredWeight);
    for (const term of near.preferred) count(term, term.weight);
    for (const term of far.preferred) count(term, -term.weight);
  }
}

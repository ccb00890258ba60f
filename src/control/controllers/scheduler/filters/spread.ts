// Required topology spread constraints.

import { ownLabel } from "../../../../api/selectors/node-selector.ts";
import type { ClusterState, NodeState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";
import type { SpreadConstraint } from "../spread-constraint.ts";
import { untolerated } from "../taints.ts";
import { type Filter, fits } from "./filter.ts";

const uneven = ["node(s) didn't match pod topology spread constraints"];
const unlabelled = [
  "node(s) didn't match pod topology spread constraints (missing required label)",
];

export const topologySpread: Filter = {
  name: "PodTopologySpread",
  liftedBy: ["node", "pod gone", "pod placed"],
  isLiftedByPreemption: true,
  prepare(pod, state) {
    const required = pod.spread.filter(({ isRequired }) => isRequired);
    if (required.length === 0) return undefined;
    const domains = required.map((constraint) => ({
      constraint,
      counts: countByDomain(pod, state, { constraint, all: required }),
      own: constraint.matches(pod) ? 1 : 0,
    }));
    const checks = domains.map(({ constraint, counts, own }) => ({
      constraint,
      counts,
      most: constraint.maxSkew + least(constraint, counts) - own,
    }));
    return ({ node }) => {
      for (const { constraint, counts, most } of checks) {
        const domain = ownLabel(node.metadata.labels, constraint.topologyKey);
        if (domain === undefined) return unlabelled;
        if ((counts.get(domain) ?? 0) > most) return uneven;
      }
      return fits;
    };
  },
};

/** Counts the matching pods in each domain that the pod could be in. */
export function countByDomain(
  pod: PodNeeds,
  state: ClusterState,
  { constraint, all }: { constraint: SpreadConstraint; all: readonly SpreadConstraint[] },
): Map<string, number> {
  const counts = new Map<string, number>();
  const domainOf = new Map<string, string>();
  for (const node of state.nodes) {
    const domain = ownLabel(node.node.metadata.labels, constraint.topologyKey);
    if (domain === undefined || !isCounted(node, pod, { constraint, all })) continue;
    domainOf.set(node.name, domain);
    counts.set(domain, counts.get(domain) ?? 0);
  }
  for (const { needs, nodeName } of state.placedIn(pod.namespace)) {
    const domain = domainOf.get(nodeName);
    if (domain === undefined || needs.isTerminating || !constraint.matches(needs)) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}

function isCounted(
  { node }: NodeState,
  pod: PodNeeds,
  { constraint, all }: { constraint: SpreadConstraint; all: readonly SpreadConstraint[] },
): boolean {
  if (all.some(({ topologyKey }) => ownLabel(node.metadata.labels, topologyKey) === undefined)) {
    return false;
  }
  if (!constraint.countsUnselected && pod.nodes?.(node) === false) return false;
  if (constraint.countsTainted) return true;
  const effects = ["NoSchedule", "NoExecute"] as const;
  return untolerated(node.spec.taints, pod.tolerations, effects) === undefined;
}

/** Returns the number of pods in the emptiest domain; a missing domain is empty. */
function least({ minDomains }: SpreadConstraint, counts: ReadonlyMap<string, number>): number {
  return counts.size < minDomains || counts.size === 0 ? 0 : Math.min(...counts.values());
}

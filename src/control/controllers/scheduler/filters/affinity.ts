// Required pod affinity and anti-affinity.

import { ownLabel } from "../../../../api/selectors/node-selector.ts";
import type { ClusterState, NodeState, Placed } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";
import type { PodTerm } from "../pod-terms.ts";
import { type Change, type Filter, fits } from "./filter.ts";

const liftedBy: readonly Change[] = ["node", "pod gone", "pod placed", "namespace"];
const lonely = ["node(s) didn't match pod affinity rules"];
const crowded = ["node(s) didn't match pod anti-affinity rules"];
const unwelcome = ["node(s) didn't satisfy existing pods anti-affinity rules"];

export const podAffinity: Filter = {
  name: "InterPodAffinity",
  liftedBy,
  isLiftedByPreemption: true,
  prepare(pod, state) {
    const near = nearCheck(pod, state);
    const repelling = domainsOf(pod.far.required, state, (term, { needs }) =>
      term.matches(needs, state.namespaceLabels),
    );
    const repelled = repelledFrom(pod, state);
    if (near === undefined && repelling.length === 0 && repelled.length === 0) return undefined;
    return (node) => {
      if (near?.(node) === false) return lonely;
      if (repelling.some((domain) => isIn(node, domain))) return crowded;
      return repelled.some((domain) => isIn(node, domain)) ? unwelcome : fits;
    };
  },
};

/** The topology domains, by a label of nodes, in which a term finds pods. */
interface Domains {
  readonly topologyKey: string;
  readonly values: ReadonlySet<string>;
}

function isIn({ node }: NodeState, { topologyKey, values }: Domains): boolean {
  const value = ownLabel(node.metadata.labels, topologyKey);
  return value !== undefined && values.has(value);
}

/** Returns a check that the node's domain holds a pod that matches all terms, for every term. */
function nearCheck(pod: PodNeeds, state: ClusterState): ((node: NodeState) => boolean) | undefined {
  const terms = pod.near.required;
  if (terms.length === 0) return undefined;
  const fitsAll = (other: PodNeeds): boolean =>
    terms.every((term) => term.matches(other, state.namespaceLabels));
  const domains = domainsOf(terms, state, (_, { needs }) => fitsAll(needs));
  // The first pod of a group with affinity to itself has nobody to join.
  const isFirst = domains.every(({ values }) => values.size === 0) && fitsAll(pod);
  return (node) =>
    domains.every((domain) =>
      isFirst
        ? ownLabel(node.node.metadata.labels, domain.topologyKey) !== undefined
        : isIn(node, domain),
    );
}

/** Returns the domains with pods whose anti-affinity excludes this one. */
function repelledFrom(pod: PodNeeds, state: ClusterState): Domains[] {
  const found = new Map<string, Set<string>>();
  for (const { needs, nodeName } of state.opinionated.values()) {
    for (const term of needs.far.required) {
      if (!term.matches(pod, state.namespaceLabels)) continue;
      const value = ownLabel(state.node(nodeName)?.node.metadata.labels, term.topologyKey);
      if (value === undefined) continue;
      const values = found.get(term.topologyKey) ?? new Set();
      found.set(term.topologyKey, values.add(value));
    }
  }
  return [...found].map(([topologyKey, values]) => ({ topologyKey, values }));
}

function domainsOf(
  terms: readonly PodTerm[],
  state: ClusterState,
  isMeant: (term: PodTerm, placed: Placed) => boolean,
): Domains[] {
  return terms.map((term) => {
    const values = new Set<string>();
    for (const placed of state.placed) {
      const labels = state.node(placed.nodeName)?.node.metadata.labels;
      const value = ownLabel(labels, term.topologyKey);
      if (value !== undefined && !values.has(value) && isMeant(term, placed)) values.add(value);
    }
    return { topologyKey: term.topologyKey, values };
  });
}

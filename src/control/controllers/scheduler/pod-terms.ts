// Pod affinity and anti-affinity terms.

import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { PodAffinityTerm, WeightedPodAffinityTerm } from "../../../api/types/core.ts";

/** The properties of a pod that terms are matched against. */
export interface Neighbour {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the labels of a namespace. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

export interface PodTerm {
  readonly topologyKey: string;
  matches(pod: Neighbour, labelsOf: NamespaceLabels): boolean;
}

export interface WeightedPodTerm extends PodTerm {
  readonly weight: number;
}

/** Compiles a term; without namespaces of its own it matches pods in the namespace of its pod. */
export function compilePodTerm(term: PodAffinityTerm, ownNamespace: string): PodTerm {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector } = term;
  const pods = compileLabelSelector(labelSelector);
  const isOwnOnly = namespaces.length === 0 && namespaceSelector === undefined;
  const named = new Set(isOwnOnly ? [ownNamespace] : namespaces);
  const selected = compileLabelSelector(namespaceSelector);
  return {
    topologyKey,
    matches: ({ namespace, labels }, labelsOf) =>
      pods.matchesLabels(labels) &&
      (named.has(namespace) || selected.matchesLabels(labelsOf(namespace) ?? {})),
  };
}

export function compileWeighted(
  { weight, podAffinityTerm }: WeightedPodAffinityTerm,
  ownNamespace: string,
): WeightedPodTerm {
  return { weight, ...compilePodTerm(podAffinityTerm, ownNamespace) };
}

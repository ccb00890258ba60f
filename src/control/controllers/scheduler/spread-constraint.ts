// Topology spread constraints of pods.

import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import { ownLabel } from "../../../api/selectors/node-selector.ts";
import type { Pod, TopologySpreadConstraint } from "../../../api/types/core.ts";
import type { Neighbour } from "./pod-terms.ts";

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly isRequired: boolean;
  /** Whether nodes count that the pod's own selectors, or its tolerations, exclude. */
  readonly countsUnselected: boolean;
  readonly countsTainted: boolean;
  matches(pod: Neighbour): boolean;
}

export function compileSpread(
  constraint: TopologySpreadConstraint,
  { metadata }: Pod,
): SpreadConstraint {
  const { labelSelector, matchLabelKeys = [], minDomains = 1 } = constraint;
  const selected = compileLabelSelector(labelSelector);
  const pinned = matchLabelKeys.flatMap((key) => {
    const value = ownLabel(metadata.labels, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains,
    isRequired: constraint.whenUnsatisfiable !== "ScheduleAnyway",
    countsUnselected: constraint.nodeAffinityPolicy === "Ignore",
    countsTainted: constraint.nodeTaintsPolicy !== "Honor",
    matches: ({ namespace, labels }) =>
      namespace === metadata.namespace &&
      selected.matchesLabels(labels) &&
      pinned.every(([key, value]) => ownLabel(labels, key) === value),
  };
}

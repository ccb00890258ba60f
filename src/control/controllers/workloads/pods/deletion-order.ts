// Orders equal pods by which can be deleted first.

import type { Pod } from "../../../../api/types/core.ts";
import { createdAt, isReady, readySince, restartsOf } from "./state.ts";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";
const phases = ["Pending", "Unknown", "Running"];

/** Orders pods for deletion; `neighbours` are the pods of the same kind, to see which share a node. */
export function deletionOrder(pods: readonly Pod[], neighbours: readonly Pod[]): Pod[] {
  const byNode = Map.groupBy(neighbours, ({ spec }) => spec.nodeName ?? "");
  const crowd = ({ spec }: Pod): number =>
    spec.nodeName ? (byNode.get(spec.nodeName)?.length ?? 0) : 0;
  const criteria = [...beforeCrowd, (pod: Pod) => -crowd(pod), ...afterCrowd];
  return pods
    .map((pod) => ({ pod, ranks: criteria.map((criterion) => criterion(pod)) }))
    .toSorted((a, b) => compare(a.ranks, b.ranks) || byName(a.pod, b.pod))
    .map(({ pod }) => pod);
}

type Criterion = (pod: Pod) => number;

/**
 * The criteria in order: the smaller number is deleted first, and each decides only where those before it are
 * equal.
 */
const beforeCrowd: readonly Criterion[] = [
  ({ spec }) => (spec.nodeName ? 1 : 0),
  ({ status }) => phases.indexOf(status?.phase ?? "Pending"),
  (pod) => (isReady(pod) ? 1 : 0),
  ({ metadata }) => Number(metadata.annotations?.[costAnnotation] ?? 0),
];
const afterCrowd: readonly Criterion[] = [
  (pod) => -(readySince(pod) ?? 0),
  (pod) => -restartsOf(pod),
  (pod) => -createdAt(pod),
];

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [index, rank] of left.entries()) {
    const difference = rank - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function byName(left: Pod, right: Pod): number {
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

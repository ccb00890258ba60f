// Chooses the best node for a pod, or explains why there is none.

import type { Random } from "../../../base/host/random.ts";
import type { ClusterState, NodeState } from "./cluster-state.ts";
import { podAffinity } from "./filters/affinity.ts";
import type { Change, Check, Filter } from "./filters/filter.ts";
import { nodeAffinity, nodeTaints, openNode } from "./filters/node.ts";
import { hostPorts, resources } from "./filters/resources.ts";
import { topologySpread } from "./filters/spread.ts";
import { volumeBinding, volumeRestrictions } from "./filters/volumes.ts";
import type { PodNeeds } from "./pod-needs.ts";
import { podPreferences } from "./scores/affinity.ts";
import { preferredNodes, unpleasantTaints } from "./scores/node.ts";
import { balanced, leastAllocated } from "./scores/resources.ts";
import type { Score } from "./scores/score.ts";
import { spread } from "./scores/spread.ts";

/** The filters; the first one that objects to a node gives the reason. */
const filters: readonly Filter[] = [
  openNode,
  nodeTaints,
  nodeAffinity,
  hostPorts,
  resources,
  volumeRestrictions,
  volumeBinding,
  topologySpread,
  podAffinity,
];

const scores: readonly Score[] = [
  unpleasantTaints,
  preferredNodes,
  spread,
  podPreferences,
  leastAllocated,
  balanced,
];

export type Choice =
  | { readonly node: string }
  | {
      readonly node: undefined;
      /** The message for users: `0/3 nodes are available: 3 Insufficient cpu.` */
      readonly message: string;
      readonly liftedBy: ReadonlySet<Change>;
      /** The nodes on which pods that leave could make room. */
      readonly crowded: readonly NodeState[];
    };

export function chooseNode(pod: PodNeeds, state: ClusterState, random: Random): Choice {
  const refusing = filters.find((filter) => filter.refuse?.(pod, state) !== undefined);
  const refusal = refusing?.refuse?.(pod, state);
  if (refusing !== undefined && refusal !== undefined) {
    const message = `0/${state.nodes.length} nodes are available: ${refusal}.`;
    return { node: undefined, message, liftedBy: new Set(refusing.liftedBy), crowded: [] };
  }
  const { fitting, objections, liftedBy, crowded } = sift(pod, state);
  if (fitting.length === 0) {
    const message = explain(objections, state.nodes.length);
    return { node: undefined, message, liftedBy: new Set(["node", ...liftedBy]), crowded };
  }
  return { node: bestOf(pod, fitting, { state, random }).name };
}

/** Whether a pod fits one node as the state is now. */
export function fitsNode(pod: PodNeeds, node: NodeState, state: ClusterState): boolean {
  return filters.every((filter) => (filter.prepare(pod, state)?.(node) ?? []).length === 0);
}

interface Sifted {
  readonly fitting: NodeState[];
  /** The number of nodes for each objection. */
  readonly objections: Map<string, number>;
  readonly liftedBy: Set<Change>;
  readonly crowded: NodeState[];
}

function sift(pod: PodNeeds, state: ClusterState): Sifted {
  const result: Sifted = { fitting: [], objections: new Map(), liftedBy: new Set(), crowded: [] };
  const checks = filters.flatMap((filter) => {
    const check = filter.prepare(pod, state);
    return check === undefined ? [] : [{ filter, check }];
  });
  for (const node of state.nodes) {
    const refused = firstRefusal(checks, node);
    if (refused === undefined) {
      result.fitting.push(node);
      continue;
    }
    if (refused.filter.isLiftedByPreemption === true) result.crowded.push(node);
    for (const change of refused.filter.liftedBy) result.liftedBy.add(change);
    for (const reason of refused.reasons) {
      result.objections.set(reason, (result.objections.get(reason) ?? 0) + 1);
    }
  }
  return result;
}

function firstRefusal(
  checks: readonly { readonly filter: Filter; readonly check: Check }[],
  node: NodeState,
): { readonly filter: Filter; readonly reasons: readonly string[] } | undefined {
  for (const { filter, check } of checks) {
    const reasons = check(node);
    if (reasons.length > 0) return { filter, reasons };
  }
  return undefined;
}

function bestOf(
  pod: PodNeeds,
  nodes: readonly NodeState[],
  { state, random }: { readonly state: ClusterState; readonly random: Random },
): NodeState {
  const [only] = nodes;
  if (only !== undefined && nodes.length === 1) return only;
  const totals = nodes.map(() => 0);
  for (const score of scores) {
    const rated = score.rate(pod, nodes, state);
    rated?.forEach((points, index) => {
      totals[index] = (totals[index] ?? 0) + score.weight * points;
    });
  }
  const high = Math.max(...totals);
  // Scores that differ only by rounding count as equal: a random one wins, so that nodes fill up alike.
  const winners = nodes.filter((_, index) => (totals[index] ?? 0) > high - 1e-6);
  const winner = winners[Math.floor(random.fraction() * winners.length)] ?? only;
  if (winner === undefined) throw new Error("Cannot choose a node: there is none");
  return winner;
}

function explain(objections: ReadonlyMap<string, number>, count: number): string {
  if (count === 0) return "no nodes available to schedule pods";
  const reasons = [...objections].map(([reason, nodes]) => `${nodes} ${reason}`).toSorted();
  return `0/${count} nodes are available: ${reasons.join(", ")}.`;
}

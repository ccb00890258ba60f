// Preemption: which pods of lower priority have to go so that a pod fits a node, and on which node that does
// the least harm.

import type { ClusterState, NodeState } from "./cluster-state.ts";
import type { PodNeeds } from "./pod-needs.ts";

/** A PodDisruptionBudget, as far as it speaks for pods that would have to go. */
export interface Budget {
  readonly namespace: string;
  readonly allowed: number;
  covers(pod: PodNeeds): boolean;
}

export interface Preemption {
  readonly node: string;
  readonly victims: readonly PodNeeds[];
}

export interface PreemptionOptions {
  /** The nodes on which pods that go could make room. */
  readonly nodes: readonly NodeState[];
  readonly budgets: readonly Budget[];
  /** Whether the pod fits the node as the state is now. */
  readonly fits: (node: NodeState) => boolean;
}

/** The most nodes that are looked at in one attempt. */
const mostNodes = 100;

/** Returns the best preemption; `undefined` if none helps. The state is as before afterwards. */
export function planPreemption(
  pod: PodNeeds,
  state: ClusterState,
  options: PreemptionOptions,
): Preemption | undefined {
  const candidates: Candidate[] = [];
  for (const node of options.nodes.slice(0, mostNodes)) {
    const candidate = candidateOn(node, pod, { ...options, state });
    if (candidate !== undefined) candidates.push(candidate);
  }
  const [best] = candidates.toSorted(compare);
  return best && { node: best.node, victims: best.victims };
}

interface Candidate extends Preemption {
  readonly violations: number;
}

/**
 * Takes all pods of lower priority off the node, and puts back as many as fit: those whose budget allows no
 * disruption first, then by priority.
 */
function candidateOn(
  node: NodeState,
  pod: PodNeeds,
  { state, budgets, fits }: PreemptionOptions & { readonly state: ClusterState },
): Candidate | undefined {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return undefined;
  for (const { key } of lower) state.remove(key);
  try {
    if (!fits(node)) return undefined;
    const { violating, others } = byBudget(lower.toSorted(moreImportant), budgets);
    const victims: PodNeeds[] = [];
    let violations = 0;
    for (const each of [...violating, ...others]) {
      state.place(each, node.name);
      if (fits(node)) continue;
      state.remove(each.key);
      victims.push(each);
      if (violating.includes(each)) violations += 1;
    }
    return victims.length === 0 ? undefined : { node: node.name, victims, violations };
  } finally {
    for (const each of lower) state.place(each, node.name);
  }
}

function byBudget(pods: readonly PodNeeds[], budgets: readonly Budget[]) {
  const left = budgets.map(({ allowed }) => allowed);
  const violating: PodNeeds[] = [];
  const others: PodNeeds[] = [];
  for (const pod of pods) {
    let isViolated = false;
    budgets.forEach((budget, index) => {
      if (budget.namespace !== pod.namespace || !budget.covers(pod)) return;
      left[index] = (left[index] ?? 0) - 1;
      if ((left[index] ?? 0) < 0) isViolated = true;
    });
    (isViolated ? violating : others).push(pod);
  }
  return { violating, others };
}

/** Orders pods: those of higher priority first, among equals those that have run longest. */
function moreImportant(one: PodNeeds, other: PodNeeds): number {
  return other.priority - one.priority || one.startedAt - other.startedAt;
}

/** Orders candidates by the harm they do. */
function compare(one: Candidate, other: Candidate): number {
  const [left, right] = [harmOf(one), harmOf(other)];
  const index = left.findIndex((harm, at) => harm !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

function harmOf({ violations, victims }: Candidate): readonly number[] {
  const priorities = victims.map(({ priority }) => priority);
  const highest = Math.max(...priorities);
  const starts = victims
    .filter(({ priority }) => priority === highest)
    .map(({ startedAt }) => startedAt);
  // Priorities may be negative: each pod counts as something.
  const sum = priorities.reduce((total, priority) => total + priority + 2 ** 31, 0);
  return [violations, highest, sum, victims.length, -Math.min(...starts)];
}

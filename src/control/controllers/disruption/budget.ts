// Computes how many pods of a PodDisruptionBudget may be evicted, from those there are and those expected.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../api/types/policy.ts";
import { defined } from "../../../base/json/defined.ts";
import { withCondition } from "../workloads/conditions.ts";
import { countOf } from "../workloads/count-or-share.ts";
import { isReady, isTerminating } from "../workloads/pods/state.ts";

export interface BudgetState {
  readonly budget: PodDisruptionBudget;
  /** The pods that the budget selects. */
  readonly pods: readonly Pod[];
  /** Returns the expected number of pods; throws if that is unknown. */
  readonly meant: () => number;
  readonly now: number;
}

/** How long an evicted pod may still exist; after it the eviction counts as failed. */
const leaveMs = 120_000;

export function budgetStatus(state: BudgetState): PodDisruptionBudgetStatus {
  const { budget, pods, now } = state;
  const { expectedPods, desiredHealthy } = wanted(state);
  const disruptedPods = stillLeaving(state);
  const currentHealthy = pods.filter(
    (pod) =>
      isReady(pod) && !isTerminating(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name),
  ).length;
  const spare = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const reason = spare > 0 ? "SufficientPods" : "InsufficientPods";
  return {
    ...defined({ observedGeneration: budget.metadata.generation }),
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed: spare,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: allowed(budget, { isAllowed: spare > 0, reason, message: "", now }),
  };
}

/** Returns the status of a budget whose expected number of pods is unknown: nothing may be evicted. */
export function failedStatus(
  budget: PodDisruptionBudget,
  { message, now }: { message: string; now: number },
): PodDisruptionBudgetStatus {
  const { generation } = budget.metadata;
  return {
    ...budget.status,
    ...defined({ observedGeneration: generation }),
    disruptionsAllowed: 0,
    conditions: allowed(budget, { isAllowed: false, reason: "SyncFailed", message, now }),
  };
}

/** Returns how long until the first eviction in progress counts as failed. */
export function leaveEndsIn({ disruptedPods = {} }: PodDisruptionBudgetStatus, now: number) {
  const ends = Object.values(disruptedPods).map((since) => Date.parse(since) + leaveMs - now);
  return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends));
}

function wanted({ budget, pods, meant }: BudgetState) {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (typeof minAvailable === "number") {
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  }
  const expectedPods = minAvailable === undefined && maxUnavailable === undefined ? 0 : meant();
  const desiredHealthy =
    minAvailable === undefined
      ? expectedPods - countOf(maxUnavailable, expectedPods, Math.ceil)
      : countOf(minAvailable, expectedPods, Math.ceil);
  return { expectedPods, desiredHealthy: Math.max(0, desiredHealthy) };
}

/** Returns the evicted pods that are not gone yet. */
function stillLeaving({ budget, pods, now }: BudgetState): Record<string, string> {
  const present = new Set(
    pods.filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name),
  );
  const given = Object.entries(budget.status?.disruptedPods ?? {});
  return Object.fromEntries(
    given.filter(([name, since]) => present.has(name) && Date.parse(since) + leaveMs > now),
  );
}

function allowed(
  { metadata, status }: PodDisruptionBudget,
  news: { isAllowed: boolean; reason: string; message: string; now: number },
) {
  const { isAllowed, reason, message, now } = news;
  const observed =
    metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  return withCondition(
    status?.conditions,
    {
      type: "DisruptionAllowed",
      status: isAllowed ? "True" : "False",
      reason,
      message,
      ...observed,
    },
    timestamp(now),
  );
}

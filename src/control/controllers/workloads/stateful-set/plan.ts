// Plans what a StatefulSet does next: one pod after the other, unless its podManagementPolicy is Parallel.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { ControllerRevision, StatefulSet } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { countOf } from "../count-or-share.ts";
import { isAvailable, isTerminating } from "../pods/state.ts";
import { ordinalOf, revisionOfPod } from "./identity.ts";

export interface StatefulState {
  readonly set: StatefulSet;
  /** The set's own pods, all with names of the set. */
  readonly pods: readonly Pod[];
  /** The revision that pods had so far, and the one that they shall have. */
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly now: number;
}

export interface NewPod {
  readonly ordinal: number;
  readonly revision: ControllerRevision;
}

export interface StatefulPlan {
  readonly create: readonly NewPod[];
  readonly remove: readonly Pod[];
  /** The pods beyond the wanted number, whether they go now or later. */
  readonly surplus: readonly Pod[];
}

/** An ordinal for which there should be a pod. */
interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
  /** The revision that the pod should have. */
  readonly revision: ControllerRevision;
}

export function planStateful(state: StatefulState): StatefulPlan {
  const { set } = state;
  if (set.metadata.deletionTimestamp !== undefined) return { create: [], remove: [], surplus: [] };
  const { slots, surplus } = slotsOf(state);
  const isHealthy = (pod: Pod | undefined): boolean =>
    pod !== undefined && !isTerminating(pod) && !isFinishedPod(pod) && isReliable(state, pod);
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const steps = isOrdered
    ? inOrder(slots, surplus, isHealthy)
    : {
        create: slots.filter(({ pod }) => pod === undefined),
        remove: [...slots.flatMap(({ pod = [] }) => pod).filter(isFinishedPod), ...surplus],
      };
  const outdated = outdatedPods(state, slots, isHealthy);
  const remove = new Set([...steps.remove, ...outdated]);
  return {
    create: steps.create.map(({ ordinal, revision }) => ({ ordinal, revision })),
    remove: [...remove].filter((pod) => !isTerminating(pod)),
    surplus,
  };
}

function slotsOf({ set, pods, current, update }: StatefulState) {
  const { replicas = 1, ordinals, updateStrategy } = set.spec;
  const { start = 0 } = ordinals ?? {};
  const { partition = 0 } = updateStrategy?.rollingUpdate ?? {};
  const isRolling = updateStrategy?.type !== "OnDelete";
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const slots = Array.from({ length: replicas }, (_, index): Slot => {
    const ordinal = start + index;
    const revision = isRolling && index < partition ? current : update;
    return { ordinal, revision, pod: byOrdinal.get(ordinal) };
  });
  const kept = new Set(slots.map(({ pod }) => pod));
  const surplus = pods
    .filter((pod) => !kept.has(pod))
    .toSorted((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
  return { slots, surplus };
}

/**
 * Plans in order: the lowest ordinal starts first, the highest ends first, and each waits for the one before
 * it.
 */
function inOrder(
  slots: readonly Slot[],
  surplus: readonly Pod[],
  isHealthy: (pod: Pod | undefined) => boolean,
): { readonly create: readonly Slot[]; readonly remove: readonly Pod[] } {
  const blocking = slots.find(({ pod }) => !isHealthy(pod));
  if (blocking === undefined) {
    const [highest] = surplus;
    // The pods above one that does not work stay until it does: they may hold what it needs. A finished pod is
    // not waited for: it will never work again.
    const firstUnhealthy = surplus.findLast((each) => !isHealthy(each) && !isFinishedPod(each));
    const mayGo = (pod: Pod) => isHealthy(pod) || isFinishedPod(pod) || pod === firstUnhealthy;
    return { create: [], remove: highest !== undefined && mayGo(highest) ? [highest] : [] };
  }
  const { pod } = blocking;
  if (pod === undefined) return { create: [blocking], remove: [] };
  return { create: [], remove: isFinishedPod(pod) ? [pod] : [] };
}

/**
 * Returns the old pods to replace, the highest first, as long as not too many are missing. An unhealthy one
 * is replaced at once: otherwise a bad revision could never be repaired.
 */
function outdatedPods(
  { set }: StatefulState,
  slots: readonly Slot[],
  isHealthy: (pod: Pod | undefined) => boolean,
): Pod[] {
  const { updateStrategy, replicas = 1 } = set.spec;
  if (updateStrategy?.type === "OnDelete") return [];
  const { maxUnavailable = 1 } = updateStrategy?.rollingUpdate ?? {};
  const most = Math.max(1, countOf(maxUnavailable, replicas, Math.ceil));
  const missing = slots.filter(({ pod }) => !isHealthy(pod)).length;
  const outdated = slots
    .toReversed()
    .flatMap(({ pod, revision }) =>
      pod === undefined || revisionOfPod(pod) === revision.metadata.name ? [] : [pod],
    );
  const useless = outdated.filter((pod) => !isHealthy(pod));
  const working = outdated.filter(isHealthy);
  return [...useless, ...working.slice(0, Math.max(0, most - missing))];
}

function isReliable({ set, now }: StatefulState, pod: Pod): boolean {
  const { minReadySeconds = 0 } = set.spec;
  return isAvailable(pod, { minReadySeconds, now });
}

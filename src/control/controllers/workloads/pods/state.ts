// States of pods.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { Pod } from "../../../../api/types/core.ts";

/** Whether the pod is neither finished nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isFinishedPod(pod) && !isTerminating(pod);
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Returns since when the pod is ready; `undefined` if it is not. */
export function readySince(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  return condition?.status === "True" ? timeOf(condition.lastTransitionTime) : undefined;
}

export interface Patience {
  /** How long a pod must have been ready to count as available. */
  readonly minReadySeconds: number;
  readonly now: number;
}

export function isAvailable(pod: Pod, patience: Patience): boolean {
  return availableIn(pod, patience) === 0;
}

/** Returns how long until a ready pod is available; `undefined` if it is not ready. */
export function availableIn(pod: Pod, { minReadySeconds, now }: Patience): number | undefined {
  const since = readySince(pod);
  if (since === undefined) return undefined;
  return minReadySeconds === 0 ? 0 : Math.max(0, since + 1000 * minReadySeconds - now);
}

/** Returns how long until the next of these pods becomes available by the passing of time. */
export function nextAvailableIn(pods: readonly Pod[], patience: Patience): number | undefined {
  const waits = pods
    .filter(isActive)
    .map((pod) => availableIn(pod, patience) ?? 0)
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

export function createdAt({ metadata }: Pod): number {
  return timeOf(metadata.creationTimestamp);
}

export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function readyCondition({ status }: Pod) {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

function timeOf(text: string | undefined): number {
  return text === undefined ? 0 : Date.parse(text);
}

// Tells new statuses from old ones: after a restart the API still reports what held before the cluster went
// down, until the kubelets have reported again.

import type { Node, Pod } from "../../api/types/core.ts";

/** Rounds a moment down to whole seconds, which is the precision of the API's timestamps. */
export function momentOf(now: number): number {
  return Math.floor(now / 1000) * 1000;
}

/** Whether the node is ready by a heartbeat of this run. */
export function isReadySince({ status }: Node, since: number): boolean {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready");
  return ready?.status === "True" && isAfter(ready.lastHeartbeatTime, since);
}

/** Whether the pod is reported as running though its containers ended with the previous run. */
export function isOutdated({ status }: Pod, since: number): boolean {
  return (status?.containerStatuses ?? []).some(
    ({ state }) => state?.running !== undefined && !isAfter(state.running.startedAt, since),
  );
}

function isAfter(time: string | undefined, since: number): boolean {
  return time !== undefined && Date.parse(time) >= since;
}

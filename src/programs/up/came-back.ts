// What the API says of a cluster that comes up again is what was said before it went down, until those
// who know have spoken.

import type { Node, Pod } from "../../api/types/core.ts";

/** The API has whole seconds. */
export function momentOf(now: number): number {
  return Math.floor(now / 1000) * 1000;
}

/** Ready by a heartbeat of this run. */
export function isReadySince({ status }: Node, since: number): boolean {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready");
  return ready?.status === "True" && isAfter(ready.lastHeartbeatTime, since);
}

/** Its containers are said to run, but they ended with the run before. */
export function isOutdated({ status }: Pod, since: number): boolean {
  return (status?.containerStatuses ?? []).some(
    ({ state }) => state?.running !== undefined && !isAfter(state.running.startedAt, since),
  );
}

function isAfter(time: string | undefined, since: number): boolean {
  return time !== undefined && Date.parse(time) >= since;
}

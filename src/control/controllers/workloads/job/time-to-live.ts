import type { Job } from "../../../../api/types/batch.ts";

/** Returns how long a finished job is still kept; `undefined` if for good. */
export function expiresIn({ spec, status }: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = spec;
  const end = (status?.conditions ?? []).find(
    (each) => (each.type === "Complete" || each.type === "Failed") && each.status === "True",
  );
  if (seconds === undefined || end?.lastTransitionTime === undefined) return undefined;
  return Math.max(0, Date.parse(end.lastTransitionTime) + 1000 * seconds - now);
}

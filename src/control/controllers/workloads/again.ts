import type { Again } from "../../../api/client/controller.ts";

/** Timers do not reach further than some weeks: who looks every day misses nothing. */
const longestMs = 24 * 3_600_000;

/** The soonest of the waits that there are. */
export function againIn(...waits: readonly (number | undefined)[]): Again | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { againInMs: Math.min(longestMs, ...known) };
}

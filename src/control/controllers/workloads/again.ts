import type { Again } from "../../../api/client/controller.ts";

/** The longest wait: timers overflow beyond some weeks, and a daily look misses nothing. */
const longestMs = 24 * 3_600_000;

/** Returns the shortest of the given waits. */
export function againIn(...waits: readonly (number | undefined)[]): Again | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { againInMs: Math.min(longestMs, ...known) };
}

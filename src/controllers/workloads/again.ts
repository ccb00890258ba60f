import type { Again } from "../../client/controller.ts";

/** The soonest of the waits that there are. */
export function againIn(...waits: readonly (number | undefined)[]): Again | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { againInMs: Math.min(...known) };
}

// How long a pod stays on a node that drives pods away.

import type { Taint, Toleration } from "../../../api/types/core.ts";
import { tolerates } from "../scheduler/taints.ts";

/**
 * The time to evict a pod at, in milliseconds since 1970: that of the first taint it does not bear
 * with any longer. `undefined` when it may stay.
 */
export function evictionTime(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  since: (taint: Taint) => number,
): number | undefined {
  let earliest: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== "NoExecute") continue;
    const patience = patienceWith(taint, tolerations);
    if (patience === undefined) continue;
    const time = since(taint) + 1000 * patience;
    earliest = Math.min(earliest ?? time, time);
  }
  return earliest;
}

/** In seconds; `undefined` is for ever. Of several tolerations the least patient counts. */
function patienceWith(taint: Taint, tolerations: readonly Toleration[]): number | undefined {
  const matching = tolerations.filter((each) => tolerates(each, taint));
  if (matching.length === 0) return 0;
  const limits = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}

// Computes how long a pod stays on a node with NoExecute taints.

import type { Taint, Toleration } from "../../../api/types/core.ts";
import { tolerates } from "../scheduler/taints.ts";

/**
 * Returns when to evict a pod, in milliseconds since 1970: when the first toleration runs out. `undefined` if
 * it may stay.
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

/**
 * Returns how many seconds a taint is tolerated; `undefined` is for ever. The shortest of several tolerations
 * counts.
 */
function patienceWith(taint: Taint, tolerations: readonly Toleration[]): number | undefined {
  const matching = tolerations.filter((each) => tolerates(each, taint));
  if (matching.length === 0) return 0;
  const limits = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}

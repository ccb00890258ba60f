import type { CheckedPod } from "./check.ts";
import { type LevelVersion, violations } from "./policy.ts";

/** What a pod violates, without the details; empty when it violates nothing. */
export function describeReasons(pod: CheckedPod, level: LevelVersion): string {
  return violations(pod, level)
    .map(({ reason }) => reason)
    .join(", ");
}

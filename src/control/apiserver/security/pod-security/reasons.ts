import type { CheckedPod } from "./check.ts";
import { type LevelVersion, violations } from "./policy.ts";

/** Returns the reasons of a pod's violations, without details; empty when there are none. */
export function describeReasons(pod: CheckedPod, level: LevelVersion): string {
  return violations(pod, level)
    .map(({ reason }) => reason)
    .join(", ");
}

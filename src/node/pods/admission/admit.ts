// Decides whether this node accepts a pod that was scheduled to it.

import type { Pod } from "../../../api/types/core.ts";
import { hostPortRefusal } from "./host-ports.ts";
import type { Refusal } from "./refusal.ts";
import { supportRefusal } from "./supported.ts";
import { sysctlRefusal } from "./sysctls.ts";

export interface AdmissionPolicy {
  /** The sysctls allowed besides the safe ones: names, or prefixes followed by a star. */
  readonly allowedSysctls: readonly string[];
  /**
   * The pods that may use images of the machine's programs: NAMESPACE or NAMESPACE/POD, each may end in a
   * star.
   */
  readonly hostImageUsers: readonly string[];
}

/**
 * Returns why this node rejects the pod, or undefined when it accepts it. `others` are the pods that it has
 * accepted.
 */
export function refusalOf(
  pod: Pod,
  policy: Partial<AdmissionPolicy> = {},
  others: readonly Pod[] = [],
): Refusal | undefined {
  const { allowedSysctls = [] } = policy;
  const refusal =
    sysctlRefusal(pod, allowedSysctls) ?? supportRefusal(pod) ?? hostPortRefusal(pod, others);
  return refusal && { ...refusal, message: `Pod was rejected: ${refusal.message}` };
}

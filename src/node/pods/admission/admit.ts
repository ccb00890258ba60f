// Whether this node takes a pod that was given to it.

import type { Pod } from "../../../api/types/core.ts";
import type { Refusal } from "./refusal.ts";
import { supportRefusal } from "./supported.ts";
import { sysctlRefusal } from "./sysctls.ts";

export interface AdmissionPolicy {
  /** Besides those that are safe: names, or beginnings with a star behind. */
  readonly allowedSysctls: readonly string[];
  /** Who may use images of the machine's programs: NAMESPACE or NAMESPACE/POD, each may end in a star. */
  readonly hostImageUsers: readonly string[];
}

/** Nothing when it does. */
export function refusalOf(pod: Pod, policy: Partial<AdmissionPolicy> = {}): Refusal | undefined {
  const { allowedSysctls = [] } = policy;
  const refusal = sysctlRefusal(pod, allowedSysctls) ?? supportRefusal(pod);
  return refusal && { ...refusal, message: `Pod was rejected: ${refusal.message}` };
}

// The change that brings a pod's status in the API up to date.

import type { Pod, PodCondition, PodStatus } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";

/** Fields a status may lose again. */
const removable = ["reason", "message"] as const;

/**
 * A strategic merge patch, since others write conditions, too; nothing when nothing changes. It holds
 * for this incarnation of the pod only.
 */
export function statusPatch(pod: Pod, wanted: PodStatus): object | undefined {
  const present: PodStatus = pod.status ?? {};
  const status: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(wanted)) {
    const now = present[field as keyof PodStatus];
    if (field === "conditions" || sameJson(now, value)) continue;
    status[field] = field === "podIPs" ? withRemovals(present, wanted) : value;
  }
  for (const field of removable) {
    if (present[field] !== undefined && wanted[field] === undefined) status[field] = null;
  }
  const conditions = (wanted.conditions ?? []).flatMap((each) => {
    const before = present.conditions?.find(({ type }) => type === each.type);
    return sameJson(before && withoutNoise(before), each) ? [] : [{ ...cleared(before), ...each }];
  });
  if (conditions.length > 0) status["conditions"] = conditions;
  if (Object.keys(status).length === 0) return undefined;
  return { metadata: { uid: pod.metadata.uid }, status };
}

/** Addresses merge by their text: those that are no more have to be named. */
function withRemovals(
  { podIPs: before = [] }: PodStatus,
  { podIPs: after = [] }: PodStatus,
): object[] {
  const gone = before.filter(({ ip }) => !after.some((each) => each.ip === ip));
  return [...gone.map(({ ip }) => ({ ip, $patch: "delete" })), ...after];
}

/** Conditions merge, too: what is not said again must be taken back. */
function cleared({ reason, message }: Partial<PodCondition> = {}): object {
  return {
    ...(reason === undefined ? {} : { reason: null }),
    ...(message === undefined ? {} : { message: null }),
  };
}

/** Servers add what they know by themselves. */
function withoutNoise(condition: PodCondition): object {
  const { lastProbeTime: _, observedGeneration: __, ...rest } = condition;
  const fields = Object.entries(rest).filter(([, value]: [string, unknown]) => value !== null);
  return Object.fromEntries(fields);
}

// The patch that brings a pod's status in the API up to date.

import type { Pod, PodCondition, PodStatus } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";
import { passingConditions } from "./conditions.ts";

/** The fields that are removed from a status when they are no longer set. */
const removable = ["reason", "message"] as const;

/**
 * Returns a strategic merge patch, since others write conditions, too; undefined when nothing changes. Its
 * uid makes it apply to this incarnation of the pod only.
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
  const over = (present.conditions ?? [])
    .map(({ type }) => type)
    .filter((type) => passingConditions.includes(type))
    .filter((type) => !wanted.conditions?.some((each) => each.type === type))
    .map((type) => ({ type, $patch: "delete" }));
  if (conditions.length + over.length > 0) status["conditions"] = [...over, ...conditions];
  if (Object.keys(status).length === 0) return undefined;
  return { metadata: { uid: pod.metadata.uid }, status };
}

/**
 * Adds delete directives for addresses the pod has lost: podIPs are merged by address, so an omitted one
 * would stay.
 */
function withRemovals(
  { podIPs: before = [] }: PodStatus,
  { podIPs: after = [] }: PodStatus,
): object[] {
  const gone = before.filter(({ ip }) => !after.some((each) => each.ip === ip));
  return [...gone.map(({ ip }) => ({ ip, $patch: "delete" })), ...after];
}

/** Sets the old reason and message to null: conditions are merged, so omitted fields would stay. */
function cleared({ reason, message }: Partial<PodCondition> = {}): object {
  return {
    ...(reason === undefined ? {} : { reason: null }),
    ...(message === undefined ? {} : { message: null }),
  };
}

/** Drops the fields that API servers add by themselves. */
function withoutNoise(condition: PodCondition): object {
  const { lastProbeTime: _, ...rest } = condition;
  const fields = Object.entries(rest).filter(([, value]: [string, unknown]) => value !== null);
  return Object.fromEntries(fields);
}

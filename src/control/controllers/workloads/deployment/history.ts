import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import { revisionOf } from "./annotations.ts";
import { isObserved, sizeOf } from "./limits.ts";
import type { Sets } from "./status.ts";

/** Returns the empty ReplicaSets beyond the history limit. */
export function superfluous({ spec }: Deployment, { newest, all }: Sets): ReplicaSet[] {
  const { revisionHistoryLimit } = spec;
  if (revisionHistoryLimit === undefined) return [];
  const past = all.filter((set) => set !== newest);
  const excess = Math.max(0, past.length - revisionHistoryLimit);
  return past
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, excess)
    .filter(isEmpty);
}

function isEmpty(set: ReplicaSet): boolean {
  const { metadata, status } = set;
  const isLeft = sizeOf(set) === 0 && (status?.replicas ?? 0) === 0 && isObserved(set);
  return isLeft && metadata.deletionTimestamp === undefined;
}

// A step of a rolling update: the new ReplicaSet grows as far as the surge allows, the old ones shrink as far
// as enough pods stay available. Each bound holds whatever becomes of the other half.

import type { ReplicaSet } from "../../../../api/types/apps.ts";
import { availableIn, isObserved, type Limits, occupied, sizeOf, total } from "./limits.ts";

export type Sizes = ReadonlyMap<ReplicaSet, number>;

/** Returns how large the new ReplicaSet may be now; one that does not exist has size 0. */
export function newSize(
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  { desired, maximum }: Limits,
): number {
  const size = newest === undefined ? 0 : sizeOf(newest);
  if (size >= desired) return desired;
  const all = newest === undefined ? old : [...old, newest];
  // A ReplicaSet whose size is not observed yet may have more pods than its status says.
  if (!all.every(isObserved)) return size;
  const room = maximum - total(all, occupied);
  return size + Math.max(0, Math.min(room, desired - size));
}

/** Returns how small the old ReplicaSets may be now: unavailable pods go first, then the oldest sets. */
export function oldSizes(
  newest: ReplicaSet,
  old: readonly ReplicaSet[],
  { minimum }: Limits,
): Sizes {
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]));
  const all = [...old, newest];
  const unavailable = sizeOf(newest) - availableIn(newest);
  let spare = total(all, sizeOf) - minimum - unavailable;
  for (const set of old) {
    const surplus = Math.max(0, Math.min(spare, sizeOf(set) - availableIn(set)));
    sizes.set(set, sizeOf(set) - surplus);
    spare -= surplus;
  }
  let dispensable = total(all, availableIn) - minimum;
  for (const set of old) {
    const size = sizes.get(set) ?? 0;
    const surplus = Math.max(0, Math.min(dispensable, size));
    sizes.set(set, size - surplus);
    dispensable -= surplus;
  }
  return sizes;
}

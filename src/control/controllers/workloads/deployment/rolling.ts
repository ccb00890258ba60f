// One step of a rolling update: the new set grows as far as the surge allows, the old ones shrink as
// far as enough pods stay available. Either bound holds whatever becomes of the other half.

import type { ReplicaSet } from "../../../../api/types/apps.ts";
import { availableIn, isObserved, type Limits, occupied, sizeOf, total } from "./limits.ts";

export type Sizes = ReadonlyMap<ReplicaSet, number>;

/** How large the new set may be now; one that is not there yet has nothing. */
export function newSize(
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  { desired, maximum }: Limits,
): number {
  const size = newest === undefined ? 0 : sizeOf(newest);
  if (size >= desired) return desired;
  const all = newest === undefined ? old : [...old, newest];
  // A set that has not taken note of its size may have more pods than anybody knows of.
  if (!all.every(isObserved)) return size;
  const room = maximum - total(all, occupied);
  return size + Math.max(0, Math.min(room, desired - size));
}

/** How small the old sets may be now: first those go that are of no use, then the oldest. */
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

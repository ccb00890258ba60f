// Scales a Deployment in the midst of a rollout: its ReplicaSets keep their proportions.

import type { ReplicaSet } from "../../../../api/types/apps.ts";
import { desiredOf, maximumOf } from "./annotations.ts";
import { availableIn, isObserved, type Limits, occupied, sizeOf, total } from "./limits.ts";
import type { Sizes } from "./rolling.ts";

/** Whether the ReplicaSets were last scaled for another number of pods. */
export function isScaled(sets: readonly ReplicaSet[], { desired }: Limits): boolean {
  return sets.some((set) => sizeOf(set) > 0 && (desiredOf(set) ?? desired) !== desired);
}

/**
 * Returns the new sizes. `sets` are ordered from the oldest to the newest; `newest` is of the present
 * template.
 */
export function scaledSizes(
  newest: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
  limits: Limits & { readonly isRolling: boolean },
): Sizes {
  const { desired, isRolling } = limits;
  const active = sets.filter((set) => sizeOf(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? newest ?? sets.at(-1);
    return new Map(only === undefined ? [] : [[only, desired]]);
  }
  if (newest !== undefined && isSaturated(newest, desired)) {
    return new Map(active.filter((set) => set !== newest).map((set) => [set, 0]));
  }
  return isRolling ? inProportion(active, limits) : new Map();
}

function isSaturated(set: ReplicaSet, desired: number): boolean {
  return (
    sizeOf(set) === desired &&
    desiredOf(set) === desired &&
    (set.status?.availableReplicas ?? 0) === desired
  );
}

function inProportion(active: readonly ReplicaSet[], { maximum, minimum }: Limits): Sizes {
  const isGrowing = total(active, sizeOf) < maximum;
  // A ReplicaSet whose size is not observed yet may have more pods than its status says.
  if (isGrowing && !active.every(isObserved)) return new Map();
  let rest = maximum - total(active, isGrowing ? occupied : sizeOf);
  // The largest comes first; of equal ones the newest grows first and the oldest shrinks first.
  const ordered = (isGrowing ? active.toReversed() : active).toSorted(
    (a, b) => sizeOf(b) - sizeOf(a),
  );
  const sizes = new Map<ReplicaSet, number>();
  for (const set of ordered) {
    const share = shareOf(set, maximum);
    const change = isGrowing
      ? Math.max(0, Math.min(share, rest))
      : Math.min(0, Math.max(share, rest));
    rest -= change;
    sizes.set(set, sizeOf(set) + change);
  }
  const [first] = ordered;
  if (first !== undefined && (rest > 0 || !isGrowing)) {
    sizes.set(first, Math.max(0, (sizes.get(first) ?? 0) + rest));
  }
  keepAvailable(sizes, minimum);
  return sizes;
}

/** Returns by how much a ReplicaSet changes that keeps its share of the whole. */
function shareOf(set: ReplicaSet, maximum: number): number {
  const size = sizeOf(set);
  const before = maximumOf(set) ?? maximum;
  return before === 0 ? 0 : Math.round((size * maximum) / before) - size;
}

/** Moves removals from available pods to unavailable ones, if too few would stay available. */
function keepAvailable(sizes: Map<ReplicaSet, number>, minimum: number): void {
  const sets = [...sizes.keys()];
  const kept = (set: ReplicaSet): number => Math.min(sizes.get(set) ?? 0, availableIn(set));
  let missing = Math.min(minimum, total(sets, availableIn)) - total(sets, kept);
  for (const taker of sets) {
    for (const giver of sets) {
      const lacking = availableIn(taker) - kept(taker);
      const useless = (sizes.get(giver) ?? 0) - kept(giver);
      const moved = Math.min(missing, lacking, useless);
      if (moved <= 0) continue;
      sizes.set(taker, (sizes.get(taker) ?? 0) + moved);
      sizes.set(giver, (sizes.get(giver) ?? 0) - moved);
      missing -= moved;
    }
  }
}

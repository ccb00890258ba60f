import { compareText } from "../../base/json/value.ts";
import { union } from "./field-set.ts";
import { Owner, type Owners, ownerId, secondsOf } from "./owners.ts";

/** The number of update entries that an object keeps; entries of appliers are not counted. */
const maxUpdates = 10;

/** Merges the oldest entries of updates, per API version, until few enough are left. */
export function capUpdates(owners: Owners): Owners {
  const updates = [...owners].filter(([, owner]) => owner.name.operation === "Update");
  let excess = updates.length - maxUpdates;
  if (excess <= 0) return owners;
  const capped = new Map(owners);
  const oldest = new Map<string, Owner>();
  for (const [id, owner] of updates.toSorted(byAge)) {
    if (excess <= 0) break;
    const { apiVersion } = owner.name;
    const first = oldest.get(apiVersion);
    if (first === undefined) {
      oldest.set(apiVersion, owner);
      continue;
    }
    const name = {
      manager: "ancient-changes",
      operation: "Update",
      apiVersion,
      subresource: "",
    } as const;
    const bucket = capped.get(ownerId(name)) ?? first;
    capped.delete(ownerId(bucket.name));
    capped.delete(id);
    capped.set(ownerId(name), new Owner(name, union(owner.set, bucket.set), { time: owner.time }));
    excess -= 1;
  }
  return capped;
}

function byAge([leftId, left]: [string, Owner], [rightId, right]: [string, Owner]): number {
  return secondsOf(left) - secondsOf(right) || compareText(leftId, rightId);
}

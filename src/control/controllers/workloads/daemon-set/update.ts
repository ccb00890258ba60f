// Chooses the nodes that are updated now.

import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { countOf } from "../count-or-share.ts";
import type { Post } from "./post.ts";

export interface DaemonUpdate {
  /** The nodes that get a new pod beside the old one. */
  readonly create: readonly string[];
  /** The old pods to delete, to make room for new ones. */
  readonly remove: readonly Pod[];
}

export function updateDaemons(set: DaemonSet, posts: readonly Post[]): DaemonUpdate {
  if (set.spec.updateStrategy?.type === "OnDelete") return { create: [], remove: [] };
  const wanted = posts.filter(({ shouldRun }) => shouldRun);
  const { maxSurge, maxUnavailable } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, wanted.length, Math.ceil);
  const unavailable = countOf(maxUnavailable, wanted.length, Math.ceil);
  if (surge > 0) return withSurge(wanted, surge);
  return { create: [], remove: inPlace(wanted, Math.max(1, unavailable)) };
}

/** Returns the old pods to delete, as long as not too many nodes are without an available pod. */
function inPlace(posts: readonly Post[], most: number): Pod[] {
  const useless: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { fresh, stale, isAvailable } of posts) {
    const pods = [...fresh, ...stale];
    if (!pods.some(isAvailable)) unavailable += 1;
    if (fresh.length > 0) continue;
    for (const pod of stale) (isAvailable(pod) ? candidates : useless).push(pod);
  }
  return [...useless, ...candidates.slice(0, Math.max(0, most - unavailable))];
}

/** Plans a surge: new pods start beside the old ones, which are deleted once the new ones are available. */
function withSurge(posts: readonly Post[], most: number): DaemonUpdate {
  const needed: string[] = [];
  const candidates: string[] = [];
  const remove: Pod[] = [];
  let surging = 0;
  for (const { name, pods, fresh, stale, isAvailable } of posts) {
    if (stale.length === 0) continue;
    if (fresh.some(isAvailable)) remove.push(...stale);
    else if (fresh.length > 0) surging += 1;
    // A terminating pod may still occupy its port.
    else if (pods.length > stale.length) continue;
    else if (stale.some(isAvailable)) candidates.push(name);
    else needed.push(name);
  }
  const create = [...needed, ...candidates.slice(0, Math.max(0, most - surging))];
  return { create, remove };
}

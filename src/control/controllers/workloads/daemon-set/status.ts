import type { DaemonSet, DaemonSetStatus } from "../../../../api/types/apps.ts";
import { defined } from "../../../../base/json/defined.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { isReady } from "../pods/state.ts";
import type { Post } from "./post.ts";

/** Returns the new status; `undefined` if it is unchanged. */
export function nextDaemonStatus(
  { metadata, status: before }: DaemonSet,
  posts: readonly Post[],
): DaemonSetStatus | undefined {
  const count = (isMeant: (post: Post) => boolean): number => posts.filter(isMeant).length;
  const wanted = posts.filter(({ shouldRun }) => shouldRun);
  const { collisionCount, conditions } = before ?? {};
  const available = wanted.filter(({ fresh, stale, isAvailable }) =>
    [...fresh, ...stale].some(isAvailable),
  ).length;
  const status: DaemonSetStatus = {
    currentNumberScheduled: count(({ shouldRun, pods }) => shouldRun && pods.length > 0),
    numberMisscheduled: count(({ shouldRun, pods }) => !shouldRun && pods.length > 0),
    desiredNumberScheduled: wanted.length,
    numberReady: wanted.filter(({ fresh, stale }) => [...fresh, ...stale].some(isReady)).length,
    observedGeneration: metadata.generation ?? 0,
    updatedNumberScheduled: wanted.filter(
      ({ fresh, stale }) => fresh.length > 0 && stale.length === 0,
    ).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
    ...defined({ collisionCount, conditions }),
  };
  return sameJson(status, before) ? undefined : status;
}

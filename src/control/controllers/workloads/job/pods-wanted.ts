// Decides which pods an unfinished job creates, and which it deletes.

import type { Job } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { deletionOrder } from "../pods/deletion-order.ts";
import { backOffRemaining } from "./back-off.ts";
import { type Tally, totals } from "./counting.ts";
import { failuresBefore, indexOf } from "./pods.ts";

/** A pod to create; with its index, if the job is indexed. */
export interface Wanted {
  readonly index: number | undefined;
  readonly failures: number;
}

export interface PodChanges {
  readonly create: readonly Wanted[];
  /** The pods to delete, which do not count as failures. */
  readonly dismiss: readonly Pod[];
  /** How long until more pods may be created. */
  readonly againInMs: number | undefined;
}

export interface Workforce {
  readonly tally: Tally;
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
  readonly now: number;
}

const burst = 500;

export function podChanges(job: Job, workforce: Workforce): PodChanges {
  const { active, tally } = workforce;
  const surplus = job.spec.completionMode === "Indexed" ? repeated(active, tally) : [];
  const useful = active.filter((pod) => !surplus.includes(pod));
  const wanted = wantedCount(job, tally, useful.length);
  if (useful.length > wanted) {
    const order = deletionOrder(useful, useful);
    const excess = order.slice(0, useful.length - wanted);
    return { create: [], dismiss: [...surplus, ...excess], againInMs: undefined };
  }
  // With the replacement policy "Failed", terminating pods count until they have ended.
  const isPatient = job.spec.podReplacementPolicy === "Failed";
  const held = isPatient ? workforce.terminating : [];
  const missing = Math.min(burst, Math.max(0, wanted - useful.length - held.length));
  if (missing === 0) return { create: [], dismiss: surplus, againInMs: undefined };
  if (job.spec.completionMode === "Indexed") {
    const pending = pendingIndexes(job, workforce, [...useful, ...held]);
    const ready = pending.filter(({ wait }) => wait === 0).slice(0, missing);
    const waits = pending.filter(({ wait }) => wait > 0).map(({ wait }) => wait);
    const isShort = ready.length < missing && waits.length > 0;
    return {
      create: ready,
      dismiss: surplus,
      againInMs: isShort ? Math.min(...waits) : undefined,
    };
  }
  const wait = backOffRemaining(workforce, workforce.now);
  if (wait > 0) return { create: [], dismiss: surplus, againInMs: wait };
  const create = Array.from({ length: missing }, () => ({ index: undefined, failures: 0 }));
  return { create, dismiss: surplus, againInMs: undefined };
}

function wantedCount({ spec }: Job, tally: Tally, active: number): number {
  const { parallelism = 1, completions } = spec;
  const { succeeded } = totals(tally);
  // Without completions, no pod is started after the first success.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.min(parallelism, completions - succeeded - tally.failedIndexes.size);
}

/** Returns the pods whose index is done, or has an older pod. */
function repeated(active: readonly Pod[], { completedIndexes, failedIndexes }: Tally): Pod[] {
  const seen = new Set<number>();
  return active.toSorted(byAge).filter((pod) => {
    const index = indexOf(pod);
    if (index === undefined || completedIndexes.has(index) || failedIndexes.has(index)) return true;
    if (seen.has(index)) return true;
    seen.add(index);
    return false;
  });
}

interface Pending {
  readonly index: number;
  readonly failures: number;
  readonly wait: number;
}

/** Returns the indexes without a pod, the lowest first. */
function pendingIndexes(job: Job, workforce: Workforce, taken: readonly Pod[]): Pending[] {
  const { tally, succeeded, failed, now } = workforce;
  const { completions = 0, backoffLimitPerIndex } = job.spec;
  const busy = new Set(taken.map(indexOf));
  const isApart = backoffLimitPerIndex !== undefined;
  const failedByIndex = Map.groupBy(failed, indexOf);
  const common = isApart ? 0 : backOffRemaining({ succeeded, failed }, now);
  const pending: Pending[] = [];
  for (let index = 0; index < completions && pending.length < burst; index++) {
    if (busy.has(index) || tally.completedIndexes.has(index) || tally.failedIndexes.has(index)) {
      continue;
    }
    const before = failedByIndex.get(index) ?? [];
    const failures = Math.max(0, ...before.map((pod) => failuresBefore(pod) + 1));
    const wait = isApart ? backOffRemaining({ succeeded: [], failed: before }, now) : common;
    pending.push({ index, failures, wait });
  }
  return pending;
}

function byAge(left: Pod, right: Pod): number {
  const [a, b] = [left, right].map(({ metadata }) => metadata.creationTimestamp ?? "");
  if (a !== b) return (a ?? "") < (b ?? "") ? -1 : 1;
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

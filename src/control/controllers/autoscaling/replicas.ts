// How many replicas a measured resource asks for.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { Container, Pod } from "../../../api/types/core.ts";
import type { PodMetrics } from "../../../api/types/metrics.ts";
import { isReady } from "../workloads/pods/state.ts";

export interface Measured {
  /** The name of the resource: `cpu` or `memory`. */
  readonly resource: string;
  /** The container that counts; all containers of a pod if not given. */
  readonly container?: string | undefined;
  /** The wanted average per pod: a share of what pods request, in percent, or an amount in billionths. */
  readonly target: { readonly percent: number } | { readonly nanos: bigint };
  readonly replicas: number;
  readonly pods: readonly Pod[];
  readonly metrics: readonly PodMetrics[];
  /** The deviation from the target that changes nothing. */
  readonly tolerance: { readonly up: number; readonly down: number };
}

export interface Proposal {
  readonly replicas: number;
  /** The average now, in the unit of the target. */
  readonly percent?: number;
  readonly nanos: bigint;
}

/** Returns the wanted number of replicas; throws if nothing can be said. */
export function proposeReplicas(measured: Measured): Proposal {
  const { pods, replicas, target } = measured;
  const counted = pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && status?.phase !== "Failed",
  );
  const { known, unready, missing } = groupPods(counted, measured);
  if (known.length === 0) {
    throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  }
  const wanted = (pod: Pod): number =>
    "percent" in target ? (requestOf(pod, measured) * target.percent) / 100 : Number(target.nanos);
  // Requests are checked of all pods: one without cannot be compared with a share.
  if ("percent" in target) for (const pod of counted) requestOf(pod, measured);
  const ratioOf = (entries: readonly Entry[]): number =>
    sum(entries.map(({ used }) => used)) / sum(entries.map(({ pod }) => wanted(pod)));
  const ratio = ratioOf(known);
  const average = BigInt(Math.round(sum(known.map(({ used }) => used)) / known.length));
  const base =
    sum(known.map(({ pod }) => wanted(pod))) / ("percent" in target ? target.percent : 1);
  const now = {
    nanos: average,
    ...("percent" in target
      ? { percent: Math.floor(sum(known.map(({ used }) => used)) / base) }
      : {}),
  };
  if (isWithin(ratio, measured)) return { replicas, ...now };
  // Pods of which nothing is known count against the change: as busy as wanted before fewer, idle before more.
  const guesses = [
    ...missing.map((pod) => ({ pod, used: ratio < 1 ? wanted(pod) : 0 })),
    ...(ratio > 1 ? unready.map((pod) => ({ pod, used: 0 })) : []),
  ];
  if (guesses.length === 0) return { replicas: Math.ceil(ratio * known.length - 1e-9), ...now };
  const all = [...known, ...guesses];
  const careful = ratioOf(all);
  const isTurned = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1);
  if (isWithin(careful, measured) || isTurned) return { replicas, ...now };
  const proposed = Math.ceil(careful * all.length - 1e-9);
  const isWrong = (careful < 1 && proposed > replicas) || (careful > 1 && proposed < replicas);
  return { replicas: isWrong ? replicas : proposed, ...now };
}

interface Entry {
  readonly pod: Pod;
  readonly used: number;
}

function groupPods(pods: readonly Pod[], { metrics, resource, container }: Measured) {
  const byName = new Map(metrics.map((each) => [each.metadata.name, each]));
  const known: Entry[] = [];
  const unready: Pod[] = [];
  const missing: Pod[] = [];
  for (const pod of pods) {
    const found = byName
      .get(pod.metadata.name)
      ?.containers.filter(({ name }) => container === undefined || name === container);
    const amounts = found?.flatMap(({ usage }) => usage[resource] ?? []) ?? [];
    // A pod that starts uses its processor for that: it says nothing about the load to come.
    if (pod.status?.phase === "Pending" || (resource === "cpu" && !isReady(pod))) unready.push(pod);
    else if (amounts.length === 0) missing.push(pod);
    else known.push({ pod, used: sum(amounts.map((amount) => Number(nanosOf(amount)))) });
  }
  return { known, unready, missing };
}

function requestOf({ metadata, spec }: Pod, { resource, container }: Measured): number {
  const counted = spec.containers.filter(
    ({ name }) => container === undefined || name === container,
  );
  const amounts = counted.map((each: Container) => {
    const amount = each.resources?.requests?.[resource];
    if (amount === undefined) {
      throw new Error(
        `missing request for ${resource} in container ${each.name} of Pod ${metadata.name}`,
      );
    }
    return Number(nanosOf(amount));
  });
  return sum(amounts);
}

function isWithin(ratio: number, { tolerance }: Measured): boolean {
  return ratio >= 1 ? ratio - 1 <= tolerance.up : 1 - ratio <= tolerance.down;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

import { timestamp } from "../../../../api/fields/timestamp.ts";
import type { ReplicaSetStatus } from "../../../../api/types/apps.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { withCondition, withoutCondition } from "../conditions.ts";
import { isAvailable, isReady } from "../pods/state.ts";
import { type ReplicaKeeper, wantedBy } from "./keeper.ts";
import type { ReplicaPlan } from "./plan.ts";

export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

export interface StatusOptions {
  readonly failure: ReplicaFailure | undefined;
  readonly now: number;
}

/** Returns the new status; `undefined` if it is unchanged. */
export function nextStatus(
  keeper: ReplicaKeeper,
  { active, remove, terminating }: Pick<ReplicaPlan, "active" | "remove" | "terminating">,
  { failure, now }: StatusOptions,
): ReplicaSetStatus | undefined {
  const { minReadySeconds, template } = wantedBy(keeper);
  const labels = Object.entries(template.metadata?.labels ?? {});
  // Pods about to be deleted do not count as ready: a rollout that is reversed at once would otherwise delete
  // further ones.
  const ready = active.filter((pod) => isReady(pod) && !remove.includes(pod));
  const conditions = conditionsOf(keeper, { failure, now });
  const isSet = keeper.kind === "ReplicaSet";
  const status: ReplicaSetStatus = {
    replicas: active.length,
    ...count("fullyLabeledReplicas", active, ({ metadata }) =>
      labels.every(([key, value]) => metadata.labels?.[key] === value),
    ),
    ...count("readyReplicas", ready, () => true),
    ...count("availableReplicas", ready, (pod) => isAvailable(pod, { minReadySeconds, now })),
    ...(isSet ? count("terminatingReplicas", terminating, () => true) : {}),
    observedGeneration: keeper.metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return sameJson(status, keeper.status) ? undefined : status;
}

/** Returns the field, unless it is zero. */
function count<F extends string, T>(
  field: F,
  items: readonly T[],
  isMeant: (item: T) => boolean,
): Partial<Record<F, number>> {
  const number = items.filter(isMeant).length;
  return number === 0 ? {} : ({ [field]: number } as Record<F, number>);
}

const failing = "ReplicaFailure";

function conditionsOf(
  { status }: ReplicaKeeper,
  { failure, now }: StatusOptions,
): NonNullable<ReplicaSetStatus["conditions"]> {
  if (failure === undefined) return withoutCondition(status?.conditions, failing);
  const news = { type: failing, status: "True", ...failure };
  return withCondition(status?.conditions, news, timestamp(now));
}

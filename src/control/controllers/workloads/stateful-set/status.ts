// The status of a StatefulSet, as `kubectl rollout status` reads it.

import { timestamp } from "../../../../api/fields/timestamp.ts";
import type { StatefulSet, StatefulSetStatus } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { withCondition, withoutCondition } from "../conditions.ts";
import { isAvailable, isReady, isTerminating } from "../pods/state.ts";
import { revisionOfPod } from "./identity.ts";
import type { StatefulState } from "./plan.ts";

/** Returns the new status; `undefined` if it is unchanged. */
export function nextStatefulStatus({
  set,
  pods,
  current,
  update,
  now,
}: StatefulState): StatefulSetStatus | undefined {
  const { minReadySeconds = 0 } = set.spec;
  const lasting = pods.filter((pod) => !isTerminating(pod));
  const ofRevision = (name: string) => lasting.filter((pod) => revisionOfPod(pod) === name).length;
  const ready = pods.filter((pod) => isReady(pod) && pod.status?.phase === "Running");
  const updatedReplicas = ofRevision(update.metadata.name);
  const isThrough =
    set.spec.updateStrategy?.type !== "OnDelete" &&
    updatedReplicas === pods.length &&
    ready.length === pods.length;
  const present = isThrough ? update : current;
  const { collisionCount, conditions } = set.status ?? {};
  const left = withoutCondition(conditions, refusal);
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...some({
      readyReplicas: ready.length,
      currentReplicas: ofRevision(present.metadata.name),
      updatedReplicas,
    }),
    currentRevision: present.metadata.name,
    updateRevision: update.metadata.name,
    ...defined({ collisionCount }),
    ...(left.length === 0 ? {} : { conditions: left }),
    availableReplicas: ready.filter((pod) => isAvailable(pod, { minReadySeconds, now })).length,
  };
  return sameJson(status, set.status) ? undefined : status;
}

const refusal = "ReplicaFailure";

export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Returns why the set cannot be served at all, if so. */
export function refusalOf({ spec }: StatefulSet): Refusal | undefined {
  const names = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? "");
  if (names.length === 0) return undefined;
  const list = names.map((name) => JSON.stringify(name)).join(", ");
  const message = `Cannot create pods: spec.volumeClaimTemplates has ${list}, and there are no persistent volumes in this cluster`;
  return { reason: "VolumeClaimsNotSupported", message };
}

export function refusedStatus(
  { metadata, status }: StatefulSet,
  { reason, message }: Refusal,
  { pods, now }: { readonly pods: readonly Pod[]; readonly now: number },
): StatefulSetStatus | undefined {
  const news = { type: refusal, status: "True", reason, message };
  const next: StatefulSetStatus = {
    ...status,
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    conditions: withCondition(status?.conditions, news, timestamp(now)),
  };
  return sameJson(next, status) ? undefined : next;
}

/** Returns the counts that are not zero. */
function some(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

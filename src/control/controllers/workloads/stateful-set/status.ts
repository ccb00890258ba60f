// The status of a StatefulSet, as `kubectl rollout status` reads it.

import type { StatefulSetStatus } from "../../../../api/types/apps.ts";
import { defined } from "../../../../base/json/defined.ts";
import { sameJson } from "../../../../base/json/value.ts";
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
  const { replicas = 1 } = set.spec;
  const isThrough =
    set.spec.updateStrategy?.type !== "OnDelete" &&
    [updatedReplicas, ready.length, pods.length].every((count) => count === replicas);
  const present = isThrough ? update : current;
  const { collisionCount, conditions = [] } = set.status ?? {};
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
    ...(conditions.length === 0 ? {} : { conditions }),
    availableReplicas: ready.filter((pod) => isAvailable(pod, { minReadySeconds, now })).length,
  };
  return sameJson(status, set.status) ? undefined : status;
}

/** Returns the counts that are not zero. */
function some(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

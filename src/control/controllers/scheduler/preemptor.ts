// Evicts pods for others of higher priority, and nominates these for the room that is made.

import type { Client } from "../../../api/client/client.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import type { EventRecorder } from "../../../api/client/events.ts";
import type { Informer } from "../../../api/client/informer.ts";
import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { PodDisruptionBudget } from "../../../api/types/policy.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { markDisrupted } from "../mark-disrupted.ts";
import type { Budget } from "./preemption.ts";
import { schedulerName } from "./scheduler.ts";

export interface PreemptorOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
}

export function preemptor({ client, recorder, clock }: PreemptorOptions) {
  const pods = client.resource("v1", "Pod");

  const evict = async (victim: Pod, signal: AbortSignal): Promise<void> => {
    const { uid = "" } = victim.metadata;
    const reason = "PreemptionByScheduler";
    const message = `${schedulerName}: preempting to accommodate a higher priority pod`;
    try {
      await markDisrupted(pods, victim, { reason, message, now: clock.now(), signal });
      await pods.delete(victim.metadata, { preconditions: { uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  return async (
    pod: Pod,
    { node, victims }: { readonly node: string; readonly victims: readonly Pod[] },
    signal: AbortSignal,
  ): Promise<void> => {
    const { uid = "" } = pod.metadata;
    const strategic = { metadata: { uid }, status: { nominatedNodeName: node } };
    try {
      await pods.patchStatus(pod.metadata, { strategic }, { signal });
    } catch (error) {
      // Nobody is evicted for a pod that is gone.
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    for (const victim of victims) {
      if (victim.metadata.deletionTimestamp !== undefined) continue;
      await evict(victim, signal);
      const message = `Preempted by pod ${uid} on node ${node}`;
      recorder.record(victim, { type: "Normal", reason: "Preempted", message });
    }
  };
}

/** Returns a function that reads the budgets, with the disruptions that each still allows. */
export function disruptionBudgets(informer: Informer<PodDisruptionBudget>) {
  return (): readonly Budget[] =>
    informer.list().map(({ metadata, spec, status }) => {
      const selector = compileLabelSelector(spec.selector);
      const gone = status?.disruptedPods ?? {};
      return {
        namespace: metadata.namespace,
        allowed: status?.disruptionsAllowed ?? 0,
        covers: ({ key, labels }) =>
          !Object.hasOwn(gone, key.slice(metadata.namespace.length + 1)) &&
          selector.matches({ metadata: { labels: { ...labels } } }),
      };
    });
}

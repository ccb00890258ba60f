// The status of a pod in the API.

import { timestamp } from "../../../api/fields/timestamp.ts";
import { qualityOfService } from "../../../api/kinds/pod.ts";
import type { HostIP, PodStatus } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { isPassed } from "../decide/decide.ts";
import { endingOf, isAtRest } from "../decide/ending.ts";
import { isEarly, type Slot, slotsOf } from "../decide/slots.ts";
import { type PodView, viewOf } from "../decide/view.ts";
import { conditionsOf } from "./conditions.ts";
import { containerStatusOf } from "./container-status.ts";

export interface StatusSettings {
  readonly hostIPs: readonly HostIP[];
  readonly now: number;
}

/** Returns the part of the status that the node owns; of the conditions, only its own. */
export function statusOf(view: PodView, { hostIPs, now }: StatusSettings): PodStatus {
  const { pod, podIPs } = view;
  const { phase, reason, message } = verdictOf(view, now);
  const statuses = (kinds: readonly Slot["kind"][]) =>
    slotsOf(pod.spec)
      .filter(({ kind }) => kinds.includes(kind))
      .map((slot) => containerStatusOf(view, slot, now));
  const early = statuses(["init", "sidecar"]);
  const ephemeral = statuses(["ephemeral"]);
  const { generation } = pod.metadata;
  return {
    ...defined({ observedGeneration: generation }),
    phase,
    ...defined({ reason, message }),
    conditions: conditionsOf(view, { phase, now }),
    ...(hostIPs[0] === undefined ? {} : { hostIP: hostIPs[0].ip, hostIPs: [...hostIPs] }),
    ...(podIPs[0] === undefined ? {} : { podIP: podIPs[0].ip, podIPs: [...podIPs] }),
    startTime: timestamp(view.since),
    ...(early.length === 0 ? {} : { initContainerStatuses: early }),
    containerStatuses: statuses(["main"]),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    qosClass: pod.status?.qosClass ?? qualityOfService(pod.spec),
  };
}

function verdictOf(
  view: PodView,
  now: number,
): Pick<PodStatus, "phase" | "reason" | "message"> & { phase: string } {
  const ending = endingOf(view, now);
  const isFinal = view.pod.status?.phase === "Succeeded" || view.pod.status?.phase === "Failed";
  // The final phase is reported only when no container runs any more.
  if (ending?.phase !== undefined && (isFinal || isAtRest(view))) {
    const { phase, reason, message } = ending;
    return {
      phase,
      ...defined({ reason, message }),
    };
  }
  if (ending?.kind === "deleted" && isAtRest(view) && hasBegun(view)) {
    return {
      phase: mainSlots(view).every((slot) => exitCode(view, slot) === 0) ? "Succeeded" : "Failed",
    };
  }
  const isUp = slotsOf(view.pod.spec).every((slot) => !isEarly(slot) || isPassed(view, slot));
  return {
    phase:
      isUp && mainSlots(view).every((slot) => hasRun(view, slot)) ? "Running" : lastPhase(view),
  };
}

/** Returns Running for a pod that has been running: it never goes back to Pending. */
function lastPhase({ pod }: PodView): "Running" | "Pending" {
  return pod.status?.phase === "Running" ? "Running" : "Pending";
}

function mainSlots({ pod }: PodView): readonly Slot[] {
  return slotsOf(pod.spec).filter(({ kind }) => kind === "main");
}

function hasBegun(view: PodView): boolean {
  return mainSlots(view).some((slot) => hasRun(view, slot));
}

function hasRun(view: PodView, { name }: Slot): boolean {
  const { current, previous } = viewOf(view, name);
  return current !== undefined || previous !== undefined;
}

function exitCode(view: PodView, { name }: Slot): number | undefined {
  return viewOf(view, name).current?.exitCode;
}

// The conditions of a pod that its node sets.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type { PodCondition } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { isPassed, isResizePending } from "../decide/decide.ts";
import { isEarly, type Slot, slotsOf } from "../decide/slots.ts";
import type { PodView } from "../decide/view.ts";
import { containerStatusOf } from "./container-status.ts";

interface Finding {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the conditions that the node sets; conditions of other writers are not included. */
export function conditionsOf(
  view: PodView,
  { phase, now }: { readonly phase: string; readonly now: number },
): PodCondition[] {
  const before = new Map((view.pod.status?.conditions ?? []).map((each) => [each.type, each]));
  const containersReady = { type: "ContainersReady", ...readiness(view, phase, now) };
  const { generation } = view.pod.metadata;
  const findings: Finding[] = [
    ...resizes(view),
    { type: "PodReadyToStartContainers", isTrue: view.sandbox.state === "ready" },
    { type: "Initialized", ...initialization(view, phase) },
    { ...containersReady, type: "Ready", ...gates(view, containersReady) },
    containersReady,
    { type: "PodScheduled", isTrue: true },
  ];
  return findings.map(({ type, isTrue, reason, message }) => {
    const status = isTrue ? "True" : "False";
    const last = before.get(type);
    const lastTransitionTime = last?.status === status ? last.lastTransitionTime : undefined;
    return {
      type,
      status,
      ...defined({ reason, message }),
      lastTransitionTime: lastTransitionTime ?? timestamp(now),
      ...defined({ observedGeneration: generation }),
    };
  });
}

type Verdict = Omit<Finding, "type">;

/** The conditions that are there only while a resize is on its way. */
export const passingConditions: readonly string[] = ["PodResizePending", "PodResizeInProgress"];

function resizes(view: PodView): readonly Finding[] {
  const { pendingResize, containers } = view;
  const [pending = "", inProgress = ""] = passingConditions;
  const unfinished = [...containers.values()].filter(isResizePending);
  const failure = unfinished.find(({ resizeFailure }) => resizeFailure !== undefined);
  const { reason, message } = failure?.resizeFailure ?? {};
  return [
    ...(pendingResize === undefined ? [] : [{ type: pending, isTrue: true, ...pendingResize }]),
    ...(unfinished.length === 0
      ? []
      : [{ type: inProgress, isTrue: true, ...defined({ reason, message }) }]),
  ];
}

function initialization(view: PodView, phase: string): Verdict {
  if (phase === "Succeeded") return { isTrue: true, reason: "PodCompleted" };
  const missing = slotsOf(view.pod.spec).filter((slot) => isEarly(slot) && !isPassed(view, slot));
  // A sidecar's restart does not revoke Initialized once the main containers have started.
  const before = view.pod.status?.conditions?.find(({ type }) => type === "Initialized");
  const isOnlySidecars = missing.every(({ kind }) => kind === "sidecar");
  if (missing.length === 0 || (before?.status === "True" && isOnlySidecars))
    return { isTrue: true };
  return {
    isTrue: false,
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${names(missing)}]`,
  };
}

function readiness(view: PodView, phase: string, now: number): Verdict {
  if (phase === "Succeeded") return { isTrue: false, reason: "PodCompleted" };
  if (phase === "Failed") return { isTrue: false, reason: "PodFailed" };
  const lasting = slotsOf(view.pod.spec).filter(
    ({ kind }) => kind === "main" || kind === "sidecar",
  );
  const missing = lasting.filter((slot) => !containerStatusOf(view, slot, now).ready);
  if (missing.length === 0) return { isTrue: true };
  return {
    isTrue: false,
    reason: "ContainersNotReady",
    message: `containers with unready status: [${names(missing)}]`,
  };
}

/** Returns the refusal of readiness gates whose conditions are not true. */
function gates({ pod }: PodView, { isTrue }: Verdict): Partial<Verdict> {
  const met = new Set(
    (pod.status?.conditions ?? [])
      .filter(({ status }) => status === "True")
      .map(({ type }) => type),
  );
  const missing = (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => !met.has(type));
  if (!isTrue || missing.length === 0) return {};
  const message = `the conditions of readiness gates are not met: [${missing.join(" ")}]`;
  return { isTrue: false, reason: "ReadinessGatesNotReady", message };
}

function names(slots: readonly Slot[]): string {
  return slots.map(({ name }) => name).join(" ");
}

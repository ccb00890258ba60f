// Decides whether a pod has ended, and why.

import { isFinishedPod } from "../../../api/kinds/pod.ts";
import { defined } from "../../../base/json/defined.ts";
import { restartsAfter, type Slot, slotsOf } from "./slots.ts";
import { isRunning, type PodView, viewOf } from "./view.ts";

export interface Ending {
  readonly kind: "deleted" | "finished";
  /** The phase of a pod that ends by itself; a deleted pod gets its phase when its containers have ended. */
  readonly phase?: "Succeeded" | "Failed";
  readonly reason?: string;
  readonly message?: string;
  readonly graceSeconds: number;
}

const defaultGraceSeconds = 30;
/** The grace period of a pod whose object is already gone from the API. */
const goneGraceSeconds = 1;

export function endingOf(view: PodView, now: number): Ending | undefined {
  const { pod, isGone } = view;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const ended = finishOf(view, now);
  if (isGone) return { ...ended, kind: "deleted", graceSeconds: goneGraceSeconds };
  if (deletionTimestamp === undefined) return ended;
  const graceSeconds = deletionGracePeriodSeconds ?? graceSecondsOf(view);
  return { ...ended, kind: "deleted", graceSeconds };
}

export function graceSecondsOf({ pod }: PodView): number {
  return pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
}

/** Returns the time at which the pod exceeds its activeDeadlineSeconds. */
export function deadlineOf({ pod, since }: PodView): number | undefined {
  const { activeDeadlineSeconds } = pod.spec;
  return activeDeadlineSeconds === undefined ? undefined : since + 1000 * activeDeadlineSeconds;
}

/** Returns whether no container runs or is being started. */
export function isAtRest(view: PodView): boolean {
  return slotsOf(view.pod.spec).every(({ name }) => {
    const container = viewOf(view, name);
    return !isRunning(container) && !container.isStarting;
  });
}

function finishOf(view: PodView, now: number): Ending | undefined {
  const { pod } = view;
  const graceSeconds = graceSecondsOf(view);
  if (isFinishedPod(pod)) {
    const { phase, reason, message } = pod.status ?? {};
    return {
      kind: "finished",
      phase: phase === "Succeeded" ? "Succeeded" : "Failed",
      ...defined({ reason, message }),
      graceSeconds,
    };
  }
  if (view.refusal !== undefined) {
    return { kind: "finished", phase: "Failed", ...view.refusal, graceSeconds };
  }
  const deadline = deadlineOf(view);
  if (deadline !== undefined && now >= deadline) {
    const message = "Pod was active on the node longer than the specified deadline";
    return { kind: "finished", phase: "Failed", reason: "DeadlineExceeded", message, graceSeconds };
  }
  const phase = outcomeOf(view);
  return phase === undefined ? undefined : { kind: "finished", phase, graceSeconds };
}

/** Returns the pod's final phase, or undefined while a container may still run. */
function outcomeOf(view: PodView): "Succeeded" | "Failed" | undefined {
  const slots = slotsOf(view.pod.spec);
  const codes = (among: readonly Slot[]) => among.map((slot) => finalCode(view, slot));
  const early = codes(slots.filter(({ kind }) => kind === "init"));
  if (early.some((code) => code !== undefined && code !== 0)) return "Failed";
  const main = codes(slots.filter(({ kind }) => kind === "main"));
  if (main.includes(undefined)) return undefined;
  return main.every((code) => code === 0) ? "Succeeded" : "Failed";
}

/** Returns the exit code of a container that will not be restarted. */
function finalCode(view: PodView, slot: Slot): number | undefined {
  const { current } = viewOf(view, slot.name);
  if (current?.status !== "exited") return undefined;
  const code = current.exitCode ?? 0;
  return restartsAfter(slot, view.pod.spec, code) ? undefined : code;
}

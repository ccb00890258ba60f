// Whether a pod has come to its end, and why.

import { isFinishedPod } from "../../../api/kinds/pod.ts";
import { restartsAfter, type Slot, slotsOf } from "./slots.ts";
import { isRunning, type PodView, viewOf } from "./view.ts";

export interface Ending {
  readonly kind: "deleted" | "finished";
  /** Of a pod that ends by itself; one that is deleted gets its phase when its containers have ended. */
  readonly phase?: "Succeeded" | "Failed";
  readonly reason?: string;
  readonly message?: string;
  readonly graceSeconds: number;
}

const defaultGraceSeconds = 30;
/** For a pod that nobody waits for any more. */
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

/** When it runs out of time, if ever. */
export function deadlineOf({ pod, since }: PodView): number | undefined {
  const { activeDeadlineSeconds } = pod.spec;
  return activeDeadlineSeconds === undefined ? undefined : since + 1000 * activeDeadlineSeconds;
}

/** Nothing runs, and nothing is about to. */
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
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
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

/** When no container will run again. */
function outcomeOf(view: PodView): "Succeeded" | "Failed" | undefined {
  const slots = slotsOf(view.pod.spec);
  const codes = (among: readonly Slot[]) => among.map((slot) => finalCode(view, slot));
  const early = codes(slots.filter(({ kind }) => kind === "init"));
  if (early.some((code) => code !== undefined && code !== 0)) return "Failed";
  const main = codes(slots.filter(({ kind }) => kind === "main"));
  if (main.includes(undefined)) return undefined;
  return main.every((code) => code === 0) ? "Succeeded" : "Failed";
}

/** The exit code of a container that ended for good. */
function finalCode(view: PodView, slot: Slot): number | undefined {
  const { current } = viewOf(view, slot.name);
  if (current?.status !== "exited") return undefined;
  const code = current.exitCode ?? 0;
  return restartsAfter(slot, view.pod.spec, code) ? undefined : code;
}

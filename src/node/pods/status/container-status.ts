// The status of one container in the API.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type {
  ContainerStateTerminated,
  ContainerStatus,
  ContainerState as ReportedState,
} from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import { isPassed } from "../decide/decide.ts";
import { restartAt, restartDelay } from "../decide/restart.ts";
import { isEarly, restartsAfter, type Slot, slotsOf } from "../decide/slots.ts";
import { type ContainerView, isRunning, type PodView, viewOf } from "../decide/view.ts";

export function containerStatusOf(view: PodView, slot: Slot, now: number): ContainerStatus {
  const container = viewOf(view, slot.name);
  const { current, previous, nextAttempt } = container;
  const running = isRunning(container);
  const state = stateOf(view, slot, now);
  const last = state.waiting === undefined ? previous : (current ?? previous);
  const latest = current ?? previous;
  return {
    name: slot.name,
    state,
    lastState: last === undefined || last.status === "running" ? {} : ended(last, container),
    ready: isReady(container, slot),
    restartCount: latest?.labels.attempt ?? Math.max(0, nextAttempt - 1),
    image: slot.container.image ?? "",
    imageID: latest?.image ?? "",
    ...(latest === undefined ? {} : { containerID: containerID(latest) }),
    started: running && container.isStarted,
    ...resourcesOf(container, slot),
  };
}

/** Returns what the container was granted, and what it runs with. */
function resourcesOf(
  { granted = {}, applied, current }: ContainerView,
  { kind }: Slot,
): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  if (kind === "ephemeral") return {};
  const { requests = {} } = granted;
  return {
    ...(Object.keys(requests).length === 0 ? {} : { allocatedResources: requests }),
    resources: (current?.status === "running" ? applied : undefined) ?? granted,
  };
}

/** Returns whether the container is ready; an init container is ready when it has succeeded. */
function isReady(container: ContainerView, { kind }: Slot): boolean {
  if (kind === "init") return container.current?.exitCode === 0;
  if (kind === "ephemeral") return false;
  return isRunning(container) && container.isStarted && container.isReady;
}

function stateOf(view: PodView, slot: Slot, now: number): ReportedState {
  const container = viewOf(view, slot.name);
  const { current, failure, isStarting } = container;
  if (current?.status === "running") return { running: { startedAt: since(current.startedAt) } };
  if (failure !== undefined) return { waiting: waitingFor(failure, now) };
  if (current === undefined) return { waiting: { reason: beginning(view, slot) } };
  const restarts = restartsAfter(slot, view.pod.spec, current.exitCode ?? 0);
  const isHeld = view.pod.metadata.deletionTimestamp !== undefined || view.isGone;
  if (!restarts || isStarting || isHeld || now >= restartAt(container, view.delays)) {
    return ended(current, container);
  }
  return { waiting: { reason: "CrashLoopBackOff", message: backOffMessage(view, slot) } };
}

/** Reports ErrImagePull at first, and ImagePullBackOff while a repeated pull waits for its retry. */
function waitingFor(
  { reason, message, count, retryAt }: NonNullable<ContainerView["failure"]>,
  now: number,
) {
  if (reason !== "ErrImagePull" || now >= retryAt || count < 2) return { reason, message };
  return { reason: "ImagePullBackOff", message: `Back-off pulling image: ${message}` };
}

function beginning(view: PodView, slot: Slot): string {
  const early = slotsOf(view.pod.spec).filter(isEarly);
  const before = isEarly(slot) ? early.slice(0, early.indexOf(slot)) : early;
  return before.every((each) => isPassed(view, each)) ? "ContainerCreating" : "PodInitializing";
}

export function backOffMessage(view: PodView, slot: Slot): string {
  const { namespace, name, uid } = view.pod.metadata;
  const seconds = restartDelay(viewOf(view, slot.name).crashes, view.delays) / 1000;
  const who = `container=${slot.name} pod=${name}_${namespace}(${uid})`;
  return `back-off ${seconds}s restarting failed ${who}`;
}

function ended(state: ContainerState, { current, message }: ContainerView): ReportedState {
  const said = state === current ? message : undefined;
  return { terminated: terminatedOf(state, said) };
}

function terminatedOf(
  state: ContainerState,
  message: string | undefined,
): ContainerStateTerminated {
  const { exitCode = 0, signal, finishedAt, startedAt } = state;
  return {
    exitCode,
    ...defined({ signal }),
    reason: reasonOf(state),
    ...(message === undefined || message === "" ? {} : { message }),
    startedAt: since(startedAt),
    ...(finishedAt === undefined ? {} : { finishedAt: since(finishedAt) }),
    containerID: containerID(state),
  };
}

function reasonOf({ exitCode = 0, outOfMemory, pid, logPath }: ContainerState): string {
  if (outOfMemory === true) return "OOMKilled";
  if (pid === undefined && logPath === "") return "ContainerStatusUnknown";
  return exitCode === 0 ? "Completed" : "Error";
}

function containerID({ id }: ContainerState): string {
  return `tandem://${id}`;
}

function since(date: Date): string {
  return timestamp(date.getTime());
}

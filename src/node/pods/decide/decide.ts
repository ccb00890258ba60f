// Decides what to do next for a pod. Everything that takes time is done elsewhere; when it is done, `decide`
// is called again.

import { defined } from "../../../base/json/defined.ts";
import { changedResources } from "../resize/resources.ts";
import { deadlineOf, type Ending, endingOf, graceSecondsOf, isAtRest } from "./ending.ts";
import { restartAt } from "./restart.ts";
import { isEarly, restartsAfter, type Slot, slotsOf } from "./slots.ts";
import { type ContainerView, isRunning, type PodView, type StageView, viewOf } from "./view.ts";

export type Action =
  | { readonly type: "make-sandbox" | "make-volumes" | "remove-sandbox" | "finish" }
  | { readonly type: "start"; readonly slot: Slot; readonly attempt: number }
  | { readonly type: "stop"; readonly slot: Slot; readonly graceSeconds: number }
  | { readonly type: "kill" | "abandon" | "resize"; readonly slot: Slot };

export interface Decision {
  readonly actions: readonly Action[];
  /** The time at which the decision may change though nothing else happens. */
  readonly againAt?: number;
}

export function decide(view: PodView, now: number): Decision {
  const steps = new Steps(view, now);
  const ending = endingOf(view, now);
  if (ending !== undefined) end(steps, ending);
  else if (view.sandbox.state === "ready") run(steps);
  else rebuild(steps);
  return steps.decision;
}

/** The actions of a decision, collected step by step. */
class Steps {
  readonly view: PodView;
  readonly now: number;
  readonly slots: readonly Slot[];
  readonly #actions: Action[] = [];
  #againAt: number | undefined;

  constructor(view: PodView, now: number) {
    this.view = view;
    this.now = now;
    this.slots = slotsOf(view.pod.spec);
  }

  get decision(): Decision {
    const againAt = this.#againAt;
    return { actions: this.#actions, ...defined({ againAt }) };
  }

  add(action: Action): void {
    this.#actions.push(action);
  }

  /** Returns whether the time has come; if not, `decide` has to be called again then. */
  isDue(time: number): boolean {
    if (this.now >= time) return true;
    this.#againAt = Math.min(this.#againAt ?? time, time);
    return false;
  }

  stop(slot: Slot, graceSeconds: number): void {
    const { stopping } = viewOf(this.view, slot.name);
    const { since, isKilled } = stopping ?? { since: this.now, isKilled: graceSeconds === 0 };
    const isOver = isKilled || this.isDue(since + 1000 * graceSeconds);
    if (stopping === undefined) this.add({ type: "stop", slot, graceSeconds });
    else if (isOver && !isKilled) this.add({ type: "kill", slot });
  }

  make(stage: StageView, type: "make-sandbox" | "make-volumes"): void {
    if (stage.state === "absent" && this.isDue(stage.failure?.retryAt ?? 0)) this.add({ type });
  }
}

function end(steps: Steps, { kind, graceSeconds }: Ending): void {
  const { view } = steps;
  if (!isAtRest(view)) return stopAll(steps, graceSeconds);
  if (view.volumes.state === "working" || view.sandbox.state === "working") return;
  if (kind === "deleted") steps.add({ type: "finish" });
  else if (view.sandbox.state === "ready") steps.add({ type: "remove-sandbox" });
}

/**
 * Stops all containers. Sidecars come last, one after the other, since the others may need them to the end.
 */
function stopAll(steps: Steps, graceSeconds: number): void {
  for (const slot of steps.slots.filter(({ name }) => viewOf(steps.view, name).isStarting)) {
    steps.add({ type: "abandon", slot });
  }
  const running = steps.slots.filter(({ name }) => isRunning(viewOf(steps.view, name)));
  const others = running.filter(({ kind }) => kind !== "sidecar");
  for (const slot of others) steps.stop(slot, graceSeconds);
  const last = running.at(-1);
  if (others.length === 0 && last !== undefined) steps.stop(last, graceSeconds);
}

/** Stops the containers of a lost sandbox, then has a new sandbox made. */
function rebuild(steps: Steps): void {
  const { view } = steps;
  if (!isAtRest(view)) stopAll(steps, graceSecondsOf(view));
  else steps.make(view.sandbox, "make-sandbox");
}

function run(steps: Steps): void {
  const { view, slots } = steps;
  const deadline = deadlineOf(view);
  if (deadline !== undefined) steps.isDue(deadline);
  endCondemned(steps);
  for (const slot of slots) resizeIfDue(steps, slot);
  if (view.volumes.state !== "ready") return steps.make(view.volumes, "make-volumes");
  for (const slot of slots.filter(({ kind }) => kind === "ephemeral")) startIfDue(steps, slot);
  for (const slot of slots.filter(isEarly)) {
    startIfDue(steps, slot);
    if (!isPassed(view, slot)) return;
  }
  for (const slot of slots.filter(({ kind }) => kind === "main")) startIfDue(steps, slot);
}

/** Stops containers that failed a probe or a hook, or whose image was changed. */
function endCondemned(steps: Steps): void {
  for (const slot of steps.slots) {
    const container = viewOf(steps.view, slot.name);
    const { verdict } = container;
    if (verdict === undefined || !isRunning(container)) continue;
    steps.stop(slot, verdict.graceSeconds ?? graceSecondsOf(steps.view));
  }
}

function resizeIfDue(steps: Steps, slot: Slot): void {
  const container = viewOf(steps.view, slot.name);
  const { isResizing = false, resizeFailure, verdict, stopping } = container;
  if (isResizing || verdict !== undefined || stopping !== undefined) return;
  if (!isResizePending(container) || !steps.isDue(resizeFailure?.retryAt ?? 0)) return;
  steps.add({ type: "resize", slot });
}

/** Returns whether the container runs with other requests or limits than those it was granted. */
export function isResizePending(container: ContainerView): boolean {
  const { granted, applied } = container;
  return isRunning(container) && changedResources(applied, granted).length > 0;
}

/** Returns whether the containers after this init container or sidecar may start. */
export function isPassed(view: PodView, { name, kind }: Slot): boolean {
  const container = viewOf(view, name);
  if (kind === "sidecar") return isRunning(container) && container.isStarted;
  return container.current?.status === "exited" && container.current.exitCode === 0;
}

function startIfDue(steps: Steps, slot: Slot): void {
  const { view } = steps;
  const container = viewOf(view, slot.name);
  const { current, failure, isStarting, nextAttempt } = container;
  if (isStarting || isRunning(container)) return;
  if (current !== undefined) {
    if (!restartsAfter(slot, view.pod.spec, current.exitCode ?? 0)) return;
    if (!steps.isDue(restartAt(container, view.delays))) return;
  }
  if (steps.isDue(failure?.retryAt ?? 0)) steps.add({ type: "start", slot, attempt: nextAttempt });
}

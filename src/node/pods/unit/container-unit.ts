// A container of a pod through all its restarts: its state, and the actions on it.

import type { Pod, ResourceRequirements } from "../../../api/types/core.ts";
import { pause } from "../../../base/host/clock.ts";
import { defined } from "../../../base/json/defined.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import { containerId } from "../containers/ids.ts";
import { messagePath } from "../containers/spec.ts";
import { crashesAfter, restartDelay } from "../decide/restart.ts";
import { isEarly, restartsAfter, type Slot } from "../decide/slots.ts";
import type { ContainerView, Failure } from "../decide/view.ts";
import { handleWithin } from "../probes/handler.ts";
import { cgroupResources, changedResources, needsRestart } from "../resize/resources.ts";
import { Attendance, targetOf } from "./attendance.ts";
import { latestFirst } from "./history.ts";
import type { PodParts } from "./pod-parts.ts";
import { failureOf, SandboxLostError, startContainer } from "./start-container.ts";

/** The number of containers kept of each name: the current one and the one before. */
const keptStates = 2;

/** The pause after which a container's end is awaited again, when that has failed. */
const awaitAgainMs = 1_000;
/** The exit code of a container of which nothing is left. */
const lostCode = 137;

export class ContainerUnit {
  readonly #parts: PodParts;
  readonly #name: string;
  /** The containers of this name, the latest first. */
  #states: readonly ContainerState[] = [];
  /** Aborts the start; set only while the container is being started. */
  #start: AbortController | undefined;
  #failure: Failure | undefined;
  #crashes = 0;
  #attendance: Attendance | undefined;
  #stopping: ContainerView["stopping"];
  #message = "";
  /** The requests and limits of the current container. */
  #applied: ResourceRequirements | undefined;
  #isResizing = false;
  #resizeFailure: Failure | undefined;
  /** The containers whose start failed; something of them may be left. */
  readonly #failed = new Set<string>();
  #isRemoved = false;

  constructor(parts: PodParts, name: string) {
    this.#parts = parts;
    this.#name = name;
  }

  /** The containers of this name, the latest first. */
  get states(): readonly ContainerState[] {
    return this.#states;
  }

  view(slot: Slot): ContainerView {
    const [latest, before] = this.#states;
    // Init containers and sidecars start over in each sandbox.
    const isOld = latest !== undefined && isEarly(slot) && !this.#isOfSandbox(latest);
    const [current, previous] = isOld ? [undefined, latest] : [latest, before];
    const { isStarted = false, isReady = false, verdict } = this.#attendance ?? {};
    return {
      ...defined({ current, previous }),
      nextAttempt: latest === undefined ? 0 : latest.labels.attempt + 1,
      isStarting: this.#start !== undefined,
      ...defined({ failure: this.#failure }),
      crashes: this.#crashes,
      isStarted,
      isReady,
      ...defined({ verdict, stopping: this.#stopping }),
      message: this.#message,
      granted: slot.container.resources ?? {},
      isResizing: this.#isResizing,
      ...defined({ applied: this.#applied, resizeFailure: this.#resizeFailure }),
    };
  }

  /** Takes over the containers of an earlier agent, or of the time before a reboot. */
  async adopt(states: readonly ContainerState[], slot: Slot, pod: Pod): Promise<void> {
    this.#states = latestFirst(states).slice(0, keptStates);
    const [latest] = this.#states;
    if (latest === undefined) return;
    this.#crashes = latest.labels.attempt > 0 ? 1 : 0;
    if (latest.status === "exited") return this.#hearLastWords(latest, slot);
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    const told = [...initContainerStatuses, ...containerStatuses].find(
      ({ name, containerID = "" }) => name === this.#name && containerID.endsWith(latest.id),
    );
    this.#applied = told?.resources ?? slot.container.resources ?? {};
    const found = { isStarted: told?.started ?? false, isReady: told?.ready ?? false };
    this.#attend({ state: latest, slot, found });
  }

  async start(slot: Slot, attempt: number): Promise<void> {
    this.#start = new AbortController();
    const signal = AbortSignal.any([this.#start.signal, this.#parts.signal]);
    try {
      const state = await startContainer(this.#parts, slot, { attempt, signal });
      this.#failure = undefined;
      this.#message = "";
      this.#applied = slot.container.resources ?? {};
      this.#resizeFailure = undefined;
      await this.#keep(state);
      this.#attend({ state, slot });
    } catch (error) {
      const { sandbox } = this.#parts;
      if (sandbox !== undefined) this.#failed.add(containerId(sandbox.id, this.#name, attempt));
      if (error instanceof SandboxLostError) this.#parts.loseSandbox();
      else if (!signal.aborted) this.#fail(error);
    } finally {
      this.#start = undefined;
      this.#parts.changed();
    }
  }

  /** Gives the running container what it was granted, by a restart where its policy asks for one. */
  async resize(slot: Slot): Promise<void> {
    const { context, remark, changed } = this.#parts;
    const [state] = this.#states;
    const wanted = slot.container.resources ?? {};
    if (state?.status !== "running") return;
    if (needsRestart(slot.container, changedResources(this.#applied, wanted))) {
      const message = `Container ${slot.name} resize requires restart`;
      return this.#attendance?.condemn({ message });
    }
    this.#isResizing = true;
    try {
      await context.containers.resize(state.id, cgroupResources(wanted));
      this.#applied = wanted;
      this.#resizeFailure = undefined;
    } catch (error) {
      const failure = failureOf(error, this.#resizeFailure, context);
      this.#resizeFailure = { ...failure, reason: "Error" };
      remark("Warning", "ResizeError", failure.message);
    } finally {
      this.#isResizing = false;
      changed();
    }
  }

  /** Aborts a start that is under way. */
  abandon(): void {
    this.#start?.abort();
  }

  /** Runs the preStop hook, then sends the stop signal. `kill` handles containers that take too long. */
  async stop(slot: Slot, graceSeconds: number): Promise<void> {
    const { context, remark, signal } = this.#parts;
    const [state] = this.#states;
    if (state?.status !== "running") return;
    this.#stopping = { since: context.clock.now(), isKilled: graceSeconds === 0 };
    remark(
      "Normal",
      "Killing",
      this.#attendance?.verdict?.message ?? `Stopping container ${slot.name}`,
    );
    this.#attendance?.end();
    if (graceSeconds === 0) return context.containers.kill(state.id, "SIGKILL");
    const { preStop, stopSignal = "SIGTERM" } = slot.container.lifecycle ?? {};
    if (preStop !== undefined) {
      const target = targetOf({ parts: this.#parts, slot, state });
      const limits = { timeoutMs: 1000 * graceSeconds, signal };
      await handleWithin(preStop, target, limits).catch((error: unknown) => {
        if (!signal.aborted) remark("Warning", "FailedPreStopHook", describeError(error));
      });
    }
    // The agent itself is stopping: the next one continues from here.
    if (signal.aborted) return;
    await context.containers.kill(state.id, stopSignal as NodeJS.Signals);
  }

  async kill(): Promise<void> {
    const [state] = this.#states;
    if (state === undefined || this.#stopping === undefined) return;
    this.#stopping = { ...this.#stopping, isKilled: true };
    await this.#parts.context.containers.kill(state.id, "SIGKILL");
  }

  /** Condemns the container, so that it is restarted with its new image. */
  renew(): void {
    const message = `Container ${this.#name} definition changed, will be restarted`;
    this.#attendance?.condemnSoon({ message });
  }

  /** Stops probes and hooks; a running container keeps running. */
  leave(): void {
    this.#attendance?.end();
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    this.leave();
    const ids = new Set([...this.#states.map(({ id }) => id), ...this.#failed]);
    for (const id of ids) await this.#parts.context.containers.remove(id);
    this.#states = [];
    this.#failed.clear();
  }

  #isOfSandbox({ id, labels }: ContainerState): boolean {
    const { sandbox } = this.#parts;
    return sandbox !== undefined && id === containerId(sandbox.id, this.#name, labels.attempt);
  }

  async #keep(state: ContainerState): Promise<void> {
    const all = [state, ...this.#states.filter(({ id }) => id !== state.id)];
    this.#states = all.slice(0, keptStates);
    for (const { id } of all.slice(keptStates)) await this.#parts.context.containers.remove(id);
  }

  #fail(error: unknown): void {
    const { context, remark } = this.#parts;
    const before = this.#failure;
    this.#failure = failureOf(error, before, context);
    remark("Warning", "Failed", this.#failure.message);
    if (before?.reason !== "ErrImagePull") return;
    remark("Normal", "BackOff", `Back-off pulling image of container ${this.#name}`);
  }

  #attend(options: Omit<ConstructorParameters<typeof Attendance>[0], "parts">): void {
    this.#attendance?.end();
    this.#stopping = undefined;
    this.#attendance = new Attendance({ ...options, parts: this.#parts });
    this.#attendance.begin();
    void this.#awaitEnd(options.state, options.slot);
  }

  async #awaitEnd(state: ContainerState, slot: Slot): Promise<void> {
    const { context } = this.#parts;
    const ended = await this.#endOf(state);
    if (ended === undefined) return;
    this.#attendance?.end();
    this.#attendance = undefined;
    this.#states = this.#states.map((each) => (each.id === ended.id ? ended : each));
    this.#crashes = crashesAfter(this.#crashes, ended, context.delays);
    this.#stopping = undefined;
    await this.#hearLastWords(ended, slot);
    this.#announceRestart(slot, ended.exitCode ?? 0);
    this.#parts.changed();
  }

  /**
   * Resolves to the state of a container that has ended; to undefined when the agent stops, or removes the
   * container. A failure is not the last word: a container that is taken to be running keeps its pod from
   * ending.
   */
  async #endOf(state: ContainerState): Promise<ContainerState | undefined> {
    const { context, signal } = this.#parts;
    const { containers, clock, log } = context;
    for (;;) {
      try {
        return await containers.exited(state.id, { signal });
      } catch (error) {
        if (signal.aborted || this.#isRemoved) return undefined;
        log.warn("Cannot await a container's end", { id: state.id, error });
        if ((await containers.get(state.id).catch(() => state)) === undefined) {
          const finishedAt = new Date(clock.now());
          return { ...state, status: "exited", finishedAt, exitCode: lostCode };
        }
      }
      await pause(clock, awaitAgainMs, signal);
    }
  }

  #announceRestart(slot: Slot, exitCode: number): void {
    const { pod, context, remark } = this.#parts;
    const isHeld = restartDelay(this.#crashes, context.delays) > 0;
    if (!isHeld || pod.metadata.deletionTimestamp !== undefined) return;
    if (!restartsAfter(slot, pod.spec, exitCode)) return;
    const { namespace, name } = pod.metadata;
    const who = `container ${slot.name} in pod ${name}_${namespace}(${pod.metadata.uid})`;
    remark("Warning", "BackOff", `Back-off restarting failed ${who}`);
  }

  async #hearLastWords(state: ContainerState, slot: Slot): Promise<void> {
    const file = messagePath(this.#parts.messages, this.#name, state.labels.attempt);
    const { machine } = this.#parts.context;
    this.#message = await machine.lastWords(slot.container, file, state);
  }
}

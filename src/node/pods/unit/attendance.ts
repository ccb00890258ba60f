// Looks after a container while it runs: the postStart hook and the probes.

import type { Timer } from "../../../base/host/clock.ts";
import { defined } from "../../../base/json/defined.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import type { Verdict } from "../decide/view.ts";
import { runProbes } from "../probes/container-probes.ts";
import { type HandlerTarget, handleWithin } from "../probes/handler.ts";
import type { PodParts } from "./pod-parts.ts";

/** The time limit of a postStart hook; the API has no field for it. */
const postStartMs = 600_000;

/** The time that a changed definition has to settle before the container is restarted with it. */
const settlingMs = 1_000;

export interface AttendanceOptions {
  readonly parts: PodParts;
  readonly slot: Slot;
  readonly state: ContainerState;
  /** The state that an earlier agent reported, for an adopted container. */
  readonly found?: { readonly isStarted: boolean; readonly isReady: boolean };
}

export class Attendance {
  readonly #options: AttendanceOptions;
  readonly #over = new AbortController();
  #isGreeted: boolean;
  #isUp: boolean;
  #isReady: boolean;
  #verdict: Verdict | undefined;
  #renewal: Timer | undefined;

  constructor(options: AttendanceOptions) {
    const { found, slot } = options;
    this.#options = options;
    // An adopted container has had its postStart hook from the agent that started it.
    this.#isGreeted = found !== undefined || slot.container.lifecycle?.postStart === undefined;
    this.#isUp = found?.isStarted ?? false;
    this.#isReady = found?.isReady ?? false;
  }

  get isStarted(): boolean {
    return this.#isUp && this.#isGreeted;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** The reason why the container must be stopped. */
  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  begin(): void {
    if (!this.#isGreeted) void this.#greet();
    const { parts, slot } = this.#options;
    void runProbes({
      target: targetOf(this.#options),
      isStarted: this.#isUp,
      hasProbes: slot.kind === "main" || slot.kind === "sidecar",
      signal: this.#signal,
      findings: {
        started: () => this.#change(() => (this.#isUp = true)),
        ready: (isReady) => this.#change(() => (this.#isReady = isReady)),
        failed: (text, graceSeconds) =>
          this.condemn({
            message: `${text}, will be restarted`,
            ...defined({ graceSeconds }),
          }),
        remark: (text) => parts.remark("Warning", "Unhealthy", text),
      },
    });
  }

  condemn(verdict: Verdict): void {
    this.#change(() => (this.#verdict ??= verdict));
  }

  /** Condemns the container in a moment, so that several changes of its pod in a row are one restart. */
  condemnSoon(verdict: Verdict): void {
    const { clock } = this.#options.parts.context;
    this.#renewal?.cancel();
    this.#renewal = clock.setTimer(settlingMs, () => this.condemn(verdict));
  }

  end(): void {
    this.#renewal?.cancel();
    this.#over.abort();
  }

  get #signal(): AbortSignal {
    return AbortSignal.any([this.#over.signal, this.#options.parts.signal]);
  }

  async #greet(): Promise<void> {
    const { parts, slot } = this.#options;
    const signal = this.#signal;
    try {
      const hook = slot.container.lifecycle?.postStart ?? {};
      await handleWithin(hook, targetOf(this.#options), { timeoutMs: postStartMs, signal });
      this.#change(() => (this.#isGreeted = true));
    } catch (error) {
      if (signal.aborted) return;
      parts.remark("Warning", "FailedPostStartHook", describeError(error));
      this.condemn({ message: `Container ${slot.name} failed its PostStartHook` });
    }
  }

  /** Applies a change and calls `changed` only if something is different: probes repeat the same result. */
  #change(change: () => void): void {
    const before = [this.isStarted, this.#isReady, this.#verdict];
    change();
    const after = [this.isStarted, this.#isReady, this.#verdict];
    if (before.some((value, index) => value !== after[index])) this.#options.parts.changed();
  }
}

/** Returns the target of a container's probes and hooks. */
export function targetOf({ parts, slot, state }: AttendanceOptions): HandlerTarget {
  const { context, podIPs } = parts;
  const { containers, clock, machine, preferredProbeFamily: preferredFamily = "none" } = context;
  return { slot, id: state.id, podIPs, preferredFamily, containers, clock, ask: machine.ask };
}

// Creates and deletes pods for their owners, and records events about it.

import { isForbidden } from "../../../../api/client/errors.ts";
import type { EventRecorder } from "../../../../api/client/events.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { describeError } from "../../../../base/program/errors.ts";
import type { Children } from "../children.ts";
import type { Namespaced } from "../ownership.ts";
import { eachOf, type SlowStartResult, slowStart } from "../slow-start.ts";
import type { PodDraft } from "./from-template.ts";

export class PodControl {
  readonly #pods: Children<Pod>;
  readonly #recorder: EventRecorder;

  constructor(pods: Children<Pod>, recorder: EventRecorder) {
    this.#pods = pods;
    this.#recorder = recorder;
  }

  /** Creates pods by slow start. Failures are recorded as events of the owner. */
  create(
    owner: Namespaced,
    drafts: readonly PodDraft[],
    signal: AbortSignal,
  ): Promise<SlowStartResult> {
    return slowStart(drafts, async (draft) => {
      try {
        const { metadata } = await this.#pods.create(draft, signal);
        this.#tell(owner, "SuccessfulCreate", `Created pod: ${metadata.name}`);
      } catch (error) {
        if (!signal.aborted && !isNamespaceEnding(error)) {
          this.#warn(owner, "FailedCreate", `Error creating: ${describeError(error)}`);
        }
        throw error;
      }
    });
  }

  delete(owner: Namespaced, pods: readonly Pod[], signal: AbortSignal): Promise<SlowStartResult> {
    return eachOf(pods, async (pod) => {
      try {
        await this.#pods.delete(pod, { signal });
        this.#tell(owner, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (!signal.aborted) {
          this.#warn(owner, "FailedDelete", `Error deleting: ${describeError(error)}`);
        }
        throw error;
      }
    });
  }

  #tell(owner: Namespaced, reason: string, message: string): void {
    this.#recorder.record(owner, { type: "Normal", reason, message });
  }

  #warn(owner: Namespaced, reason: string, message: string): void {
    this.#recorder.record(owner, { type: "Warning", reason, message });
  }
}

/** Throws the failure, unless the namespace is being deleted. */
export function throwFailure({ failure }: SlowStartResult): void {
  if (failure !== undefined && !isNamespaceEnding(failure.error)) throw failure.error;
}

/** Whether a request failed because the namespace is being deleted, which is no error. */
export function isNamespaceEnding(error: unknown): boolean {
  if (!isForbidden(error)) return false;
  return (error.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
}

// Keeps a pod's status in the API up to date, with few writes.

import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Pod, PodStatus } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { statusPatch } from "../status/patch.ts";

/** The delay of changes that are not urgent, so that several of them become one write. */
const patienceMs = 500;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
const usualWaits = ["ContainerCreating", "PodInitializing"];

export interface StatusWriterOptions {
  readonly pods: ResourceClient<Pod>;
  readonly clock: Clock;
  /** Has the pod looked at again after this time. */
  readonly changed: (afterMs: number) => void;
  readonly failed: (error: unknown) => void;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** The object as the last write returned it. */
  #written: Pod | undefined;
  #writing: Promise<void> | undefined;
  /** The time since which there is something to write. */
  #since: number | undefined;
  #failures = 0;
  #retryAt = 0;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Returns the latest known version of the object. */
  latest(pod: Pod): Pod {
    const written = this.#written;
    if (written === undefined || written.metadata.uid !== pod.metadata.uid) return pod;
    return versionOf(written) > versionOf(pod) ? written : pod;
  }

  /**
   * Writes the status now or soon, unless it is unchanged. While a write is under way this does nothing: the
   * pod is looked at again after it.
   */
  offer(pod: Pod, status: PodStatus): void {
    const { clock, changed } = this.#options;
    const base = this.latest(pod);
    const patch = statusPatch(base, status);
    if (patch === undefined) {
      this.#since = undefined;
      return;
    }
    if (this.#writing !== undefined) return;
    const now = clock.monotonic();
    this.#since ??= now;
    const waited = now - this.#since;
    if (now < this.#retryAt) return changed(this.#retryAt - now);
    if (waited < patienceMs && !isUrgent(base, status)) return changed(patienceMs - waited);
    this.#writing = this.#write(base, patch);
  }

  /** Writes the status and resolves when the API has it. */
  async settle(pod: Pod, status: PodStatus): Promise<void> {
    await this.#writing;
    const base = this.latest(pod);
    const patch = statusPatch(base, status);
    if (patch !== undefined) await this.#send(base, patch);
  }

  async #write(base: Pod, patch: object): Promise<void> {
    const { changed, failed } = this.#options;
    try {
      await this.#send(base, patch);
      this.#since = undefined;
      this.#failures = 0;
      changed(0);
    } catch (error) {
      failed(error);
      const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(10, this.#failures++));
      this.#retryAt = this.#options.clock.monotonic() + wait;
      changed(wait);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Sends the patch; a pod that is gone, or has been replaced, needs no status. */
  async #send({ metadata: { namespace, name } }: Pod, patch: object): Promise<void> {
    try {
      this.#written = await this.#options.pods.patchStatus(
        { namespace, name },
        { strategic: patch },
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

function isUrgent({ metadata, status: before = {} }: Pod, after: PodStatus): boolean {
  const ready = (status: PodStatus) =>
    status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  const statuses = [...(after.initContainerStatuses ?? []), ...(after.containerStatuses ?? [])];
  const isTrouble = statuses.some(
    ({ state }) => state?.waiting !== undefined && !usualWaits.includes(state.waiting.reason ?? ""),
  );
  return (
    metadata.deletionTimestamp !== undefined ||
    (before.phase ?? "Pending") !== after.phase ||
    ready(before) !== ready(after) ||
    isTrouble
  );
}

function versionOf({ metadata }: Pod): number {
  return Number(metadata.resourceVersion ?? 0);
}

// Keeps a pod's status in the API as the node sees it, with as few writes as users can bear.

import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Pod, PodStatus } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { statusPatch } from "../status/patch.ts";

/** What nobody waits for may wait so long, and may then be old news. */
const patienceMs = 500;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
const usualWaits = ["ContainerCreating", "PodInitializing"];

export interface StatusWriterOptions {
  readonly pods: ResourceClient<Pod>;
  readonly clock: Clock;
  /** Look again. */
  readonly changed: (afterMs: number) => void;
  readonly failed: (error: unknown) => void;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** What the last write made of the object. */
  #written: Pod | undefined;
  #writing: Promise<void> | undefined;
  /** Since when there is something to write. */
  #since: number | undefined;
  #failures = 0;
  #retryAt = 0;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** The object as it is to the best of our knowledge. */
  latest(pod: Pod): Pod {
    const written = this.#written;
    if (written === undefined || written.metadata.uid !== pod.metadata.uid) return pod;
    return versionOf(written) > versionOf(pod) ? written : pod;
  }

  /** Writes now or soon, unless there is nothing new; a write under way is looked at again after. */
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

  /** Resolves when the API has it. */
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

  /** A pod that is gone, or is another by now, needs no status. */
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

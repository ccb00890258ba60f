// Makes the claims of a StatefulSet's pods, and keeps their owners as the retention policy says.

import { isAlreadyExists, isNotFound } from "../../../../api/client/errors.ts";
import type { EventRecorder } from "../../../../api/client/events.ts";
import type { Informer } from "../../../../api/client/informer.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import type { StatefulSet } from "../../../../api/types/apps.ts";
import type { PersistentVolumeClaim } from "../../../../api/types/core.ts";
import { describeError } from "../../../../base/program/errors.ts";
import { claimDrafts, claimNames, type Holder, withOwners } from "./claims.ts";
import { ordinalOf } from "./identity.ts";

export interface ClaimKeeperOptions {
  readonly resource: ResourceClient<PersistentVolumeClaim>;
  readonly informer: Informer<PersistentVolumeClaim>;
  readonly recorder: EventRecorder;
}

export class ClaimKeeper {
  readonly #options: ClaimKeeperOptions;

  constructor(options: ClaimKeeperOptions) {
    this.#options = options;
  }

  /** Makes the missing claims of a pod; resolves to whether the pod can be made with them. */
  async make(set: StatefulSet, ordinal: number, signal: AbortSignal): Promise<boolean> {
    const { resource, informer, recorder } = this.#options;
    for (const draft of claimDrafts(set, ordinal)) {
      const { namespace, name = "" } = draft.metadata;
      const known = informer.get(`${namespace}/${name}`);
      // A claim that is on its way out would leave the pod without a volume.
      if (known?.metadata.deletionTimestamp !== undefined) return false;
      if (known !== undefined) continue;
      const what = `Claim ${name} Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
      try {
        await resource.create(draft, { signal });
        const message = `create ${what} success`;
        recorder.record(set, { type: "Normal", reason: "SuccessfulCreate", message });
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        const message = `create ${what} failed error: ${describeError(error)}`;
        recorder.record(set, { type: "Warning", reason: "FailedCreate", message });
        throw error;
      }
    }
    return true;
  }

  async keepOwners(holder: Holder, signal: AbortSignal): Promise<void> {
    const { resource, informer } = this.#options;
    const { set, pod } = holder;
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) return;
    for (const name of claimNames(set, ordinal).values()) {
      const claim = informer.get(`${set.metadata.namespace}/${name}`);
      const news = claim && withOwners(claim, holder);
      if (news === undefined) continue;
      try {
        await resource.update(news, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}

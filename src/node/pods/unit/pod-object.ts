// A pod's object in the API: what it says, and how its status and events are written.

import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import type { Remark } from "../../../api/client/events.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Pod, PodStatus } from "../../../api/types/core.ts";
import type { PodContext } from "./context.ts";
import { StatusWriter } from "./status-writer.ts";

export class PodObject {
  readonly uid: string;
  readonly #context: PodContext;
  readonly #pods: ResourceClient<Pod>;
  readonly #writer: StatusWriter;
  #given: Pod;
  /** The mirror pod of a static pod; undefined until it exists. */
  #mirror: Pod | undefined;
  #isStatic = false;
  #isGone = false;

  constructor(context: PodContext, pod: Pod) {
    const { client, clock, log } = context;
    const { namespace, name, uid = "" } = pod.metadata;
    this.#context = context;
    this.#given = pod;
    this.uid = uid;
    this.#pods = client.resource("v1", "Pod");
    this.#writer = new StatusWriter({
      pods: this.#pods,
      clock,
      changed: (afterMs) => context.enqueueAfter(uid, afterMs),
      failed: (error) => {
        log.warn("Cannot write the status of a pod", { pod: `${namespace}/${name}`, error });
      },
    });
  }

  /** The latest known version of the object. */
  get latest(): Pod {
    if (!this.#isStatic) return this.#writer.latest(this.#given);
    const status = this.#mirror && this.#writer.latest(this.#mirror).status;
    return status === undefined ? this.#given : { ...this.#given, status };
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  replace(pod: Pod): void {
    this.#given = pod;
  }

  /** Marks the pod as static and sets its mirror pod, if there is one in the API. */
  mirrorAs(mirror: Pod | undefined): void {
    this.#isStatic = true;
    this.#mirror = mirror;
  }

  markGone(): void {
    this.#isGone = true;
  }

  remark(remark: Remark): void {
    const object = this.#shown;
    if (object !== undefined) this.#context.remark(object, remark);
  }

  /** Writes the status now or soon. */
  offer(status: PodStatus): void {
    const object = this.#shown;
    if (object !== undefined && !this.#isGone) this.#writer.offer(object, status);
  }

  /** Writes the status and resolves when the API has it. */
  async settle(status: PodStatus): Promise<void> {
    const object = this.#shown;
    if (object !== undefined && !this.#isGone) await this.#writer.settle(object, status);
  }

  /** Deletes the object from the API, once nothing of the pod is left on the node. */
  async release(): Promise<void> {
    if (this.#isStatic || this.#isGone) return;
    const { namespace, name } = this.#given.metadata;
    const options = { gracePeriodSeconds: 0, preconditions: { uid: this.uid } };
    try {
      await this.#pods.delete({ namespace, name }, options);
    } catch (error) {
      if (isNotFound(error)) return;
      // A conflict is another pod of that name, or a writer that was faster.
      if (!isConflict(error) || (await this.#isThere())) throw error;
    }
  }

  async #isThere(): Promise<boolean> {
    const { namespace, name } = this.#given.metadata;
    try {
      const { metadata } = await this.#pods.get({ namespace, name });
      return metadata.uid === this.uid;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  get #shown(): Pod | undefined {
    return this.#isStatic ? this.#mirror : this.#given;
  }
}

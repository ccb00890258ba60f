// A pod as the API has it, and what the API is told of it.

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
  /** What stands for a static pod in the API; nothing until it is there. */
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

  /** As it is to the best of our knowledge. */
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

  /** It comes from a file; in the API there is only its image, if that. */
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

  /** Tells it now or soon. */
  offer(status: PodStatus): void {
    const object = this.#shown;
    if (object !== undefined && !this.#isGone) this.#writer.offer(object, status);
  }

  /** Resolves when it is told. */
  async settle(status: PodStatus): Promise<void> {
    const object = this.#shown;
    if (object !== undefined && !this.#isGone) await this.#writer.settle(object, status);
  }

  /** Nothing on the node needs it any more. */
  async release(): Promise<void> {
    if (this.#isStatic || this.#isGone) return;
    const { namespace, name } = this.#given.metadata;
    const options = { gracePeriodSeconds: 0, preconditions: { uid: this.uid } };
    try {
      await this.#pods.delete({ namespace, name }, options);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  get #shown(): Pod | undefined {
    return this.#isStatic ? this.#mirror : this.#given;
  }
}

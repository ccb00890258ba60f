// The sandbox of one pod as it is made, taken over and removed, with the processes that are part of it.

import { Address } from "../../../base/net/address.ts";
import { checkRuntime } from "../admission/runtime-class.ts";
import type { SandboxRecord } from "../sandbox/record.ts";
import { removeTraces } from "./clean-up.ts";
import type { PodParts } from "./pod-parts.ts";
import { SharedProcesses } from "./shared-processes.ts";

export class PodSandbox {
  readonly processes: SharedProcesses;
  readonly #parts: PodParts;
  readonly #uid: string;
  #record: SandboxRecord | undefined;

  constructor(parts: PodParts, uid: string) {
    this.#parts = parts;
    this.#uid = uid;
    this.processes = new SharedProcesses(parts);
  }

  get record(): SandboxRecord | undefined {
    return this.#record;
  }

  /** Takes over the sandbox that an earlier agent left, if it is alive; returns what was found. */
  async adopt(): Promise<{ readonly isFound: boolean; readonly isAlive: boolean }> {
    const { sandboxes } = this.#parts.context;
    const found = await sandboxes.find(this.#uid);
    const isAlive = found !== undefined && (await sandboxes.isAlive(found));
    if (isAlive) this.#record = found;
    return { isFound: found !== undefined, isAlive };
  }

  async make(): Promise<void> {
    const { context, pod, signal, whenFree } = this.#parts;
    const { sandboxes } = context;
    const had = pod.status?.podIPs ?? [];
    const preferred = had.flatMap(({ ip }) => Address.tryParse(ip) ?? []);
    const make = async () => {
      await checkRuntime(pod, context);
      // The remains of an earlier sandbox are removed first.
      await this.processes.remove();
      this.#tellLeft(await sandboxes.remove(this.#uid));
      return sandboxes.make(pod, { preferred, signal });
    };
    this.#record = await whenFree(make, { step: "sandbox" });
  }

  async remove(): Promise<void> {
    const { context, whenFree } = this.#parts;
    const remove = async () => {
      await this.processes.remove();
      return context.sandboxes.remove(this.#uid);
    };
    this.#tellLeft(await whenFree(remove, { step: "removal" }));
  }

  /** Removes the sandbox and all files of the pod; its containers must have been removed. */
  async removeTraces(): Promise<void> {
    await this.processes.remove();
    this.#tellLeft(await removeTraces(this.#parts.context, this.#uid));
  }

  /** Records an event for what plugins could not undo; it does not hold up the pod. */
  #tellLeft(left: readonly string[]): void {
    if (left.length === 0) return;
    const rest = "its namespace is removed, and what plugins still hold for it is left to them";
    this.#parts.remark("Warning", "NetworkNotUndone", `${left.join("; ")}: ${rest}`);
  }
}

// The sandbox of a pod: the namespaces and interfaces that its containers share.

import type { Pod } from "../../../api/types/core.ts";
import type { Address } from "../../../base/net/address.ts";
import type { SandboxRecord } from "./record.ts";

export interface MakeOptions {
  /** The addresses that the pod had before. */
  readonly preferred: readonly Address[];
  readonly signal?: AbortSignal;
}

/** The operations that pods need on their sandboxes. */
export interface SandboxKeeper {
  /** Returns all sandboxes that have left a folder, by pod uid. */
  list(): Promise<ReadonlyMap<string, SandboxRecord | undefined>>;
  find(uid: string): Promise<SandboxRecord | undefined>;
  /** Returns whether the sandbox is complete and its namespaces still exist. */
  isAlive(record: SandboxRecord): Promise<boolean>;
  /** Makes a pod's sandbox; an earlier one must have been removed. */
  make(pod: Pod, options: MakeOptions): Promise<SandboxRecord>;
  /**
   * Removes a pod's sandbox, if there is one. Resolves to descriptions of what of its network could not be
   * undone.
   */
  remove(uid: string): Promise<readonly string[]>;
}

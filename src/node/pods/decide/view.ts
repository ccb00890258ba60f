// All that decisions about a pod are made upon.

import type { Pod, PodIP } from "../../../api/types/core.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import type { Refusal } from "../admission/refusal.ts";
import type { RestartDelays } from "../options.ts";

export interface PodView {
  /** As the API, or a manifest, has it. */
  readonly pod: Pod;
  /** Its object is gone: whatever is left of it must go. */
  readonly isGone: boolean;
  /** Why this node does not take it. */
  readonly refusal?: Refusal;
  /** When the node took it on. */
  readonly since: number;
  readonly sandbox: StageView;
  /** Volumes and files, for which the sandbox's addresses must be known. */
  readonly volumes: StageView;
  readonly podIPs: readonly PodIP[];
  readonly containers: ReadonlyMap<string, ContainerView>;
  readonly delays: RestartDelays;
}

/** Something that must be ready before containers start. */
export interface StageView {
  readonly state: "absent" | "working" | "ready";
  /** Why the last attempt failed. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly retryAt: number;
  /** How many in a row. */
  readonly count: number;
}

export interface ContainerView {
  /** The latest one that counts: of an init container only what was started in this sandbox. */
  readonly current?: ContainerState;
  /** The one before. */
  readonly previous?: ContainerState;
  /** The number of the next one. */
  readonly nextAttempt: number;
  /** It is being started. */
  readonly isStarting: boolean;
  /** Why it could not be started. */
  readonly failure?: Failure;
  /** How often in a row it has ended soon after its start. */
  readonly crashes: number;
  /** Its start has succeeded: startup probe and hook. */
  readonly isStarted: boolean;
  /** Its readiness probe says so, or there is none. */
  readonly isReady: boolean;
  /** Why it must be ended though it runs. */
  readonly verdict?: Verdict;
  readonly stopping?: { readonly since: number; readonly isKilled: boolean };
  readonly message?: string;
}

export interface Verdict {
  readonly message: string;
  readonly graceSeconds?: number;
}

export const untouched: ContainerView = {
  nextAttempt: 0,
  isStarting: false,
  crashes: 0,
  isStarted: false,
  isReady: false,
};

export function viewOf(view: PodView, name: string): ContainerView {
  return view.containers.get(name) ?? untouched;
}

export function isRunning({ current }: ContainerView): boolean {
  return current?.status === "running";
}

// The state of a pod that decisions are made from.

import type { Pod, PodIP, ResourceRequirements } from "../../../api/types/core.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import type { Refusal } from "../admission/refusal.ts";
import type { RestartDelays } from "../options.ts";
import type { PendingResize } from "../resize/allocation.ts";

export interface PodView {
  /** The object as the API, or a manifest, has it. */
  readonly pod: Pod;
  /** Whether the object is gone from the API: what is left on the node must be removed. */
  readonly isGone: boolean;
  /** The reason why this node rejects the pod. */
  readonly refusal?: Refusal;
  /** The time at which the node accepted the pod. */
  readonly since: number;
  readonly sandbox: StageView;
  /** The stage of volumes and files; it comes after the sandbox, whose addresses the files contain. */
  readonly volumes: StageView;
  readonly podIPs: readonly PodIP[];
  readonly containers: ReadonlyMap<string, ContainerView>;
  readonly delays: RestartDelays;
  /** The reason why the node does not grant the requests and limits that the spec asks for. */
  readonly pendingResize?: PendingResize;
}

/** The state of the sandbox or of the volumes, which must be ready before containers start. */
export interface StageView {
  readonly state: "absent" | "working" | "ready";
  /** The failure of the last attempt. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly retryAt: number;
  /** The number of failures in a row. */
  readonly count: number;
}

export interface ContainerView {
  /** The latest container of this name; init containers and sidecars of an earlier sandbox do not count. */
  readonly current?: ContainerState;
  /** The container before the current one. */
  readonly previous?: ContainerState;
  /** The attempt number of the next container. */
  readonly nextAttempt: number;
  /** Whether the container is being started. */
  readonly isStarting: boolean;
  /** The failure of the last start. */
  readonly failure?: Failure;
  /** The number of times in a row that it exited soon after its start. */
  readonly crashes: number;
  /** Whether the startup probe and the postStart hook have succeeded. */
  readonly isStarted: boolean;
  /** Whether the readiness probe succeeds, or there is none. */
  readonly isReady: boolean;
  /** The reason why the running container must be stopped. */
  readonly verdict?: Verdict;
  readonly stopping?: { readonly since: number; readonly isKilled: boolean };
  readonly message?: string;
  /** The requests and limits that the node has granted to the container. */
  readonly granted?: ResourceRequirements;
  /** Those that the current container has. */
  readonly applied?: ResourceRequirements;
  readonly isResizing?: boolean;
  readonly resizeFailure?: Failure;
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

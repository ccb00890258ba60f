// What the agent's pods need of the rest, and what they offer to it.
import type { Pod } from "../../api/types/core.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { Address } from "../../base/net/address.ts";
import type { ContainerState } from "../runtime/runtime.ts";

/** An address of a pod's interface, and what is known of it. */
export interface PodAddress {
  readonly address: Address;
  readonly interface: string;
  readonly network: string;
  readonly isDefault: boolean;
  readonly gateway?: Address;
  readonly serviceController?: string;
}

export interface PodNetworkRequest extends CallOptions {
  readonly pod: Pod;
  /** Names the sandbox: one for each attempt. */
  readonly sandbox: string;
  /** Path of the network namespace. */
  readonly namespace: string;
  /** Wished for, not insisted on: what the pod had before. */
  readonly preferred?: readonly Address[];
}

/** How pods get their interfaces; the wiring fills it in with the CNI runtime. */
export interface PodNetwork {
  /** All addresses, of all networks, in the plugins' order. Rejects with the reason for the event. */
  attach(request: PodNetworkRequest): Promise<readonly PodAddress[]>;
  /** Also when nothing is attached. Resolves to what could not be undone, in words: it is given up. */
  detach(sandbox: string, options?: CallOptions): Promise<readonly string[]>;
  /** Frees what is held for sandboxes that are not listed. */
  collect(sandboxes: readonly string[], options?: CallOptions): Promise<void>;
}

/** How the node's server finds what it streams from. */
export interface PodContainers {
  /** The newest container of that name of a pod on this node; the one before with `previous`. */
  find(
    pod: { readonly namespace: string; readonly name: string; readonly uid?: string },
    container: string,
    options?: { readonly previous?: boolean },
  ): Promise<ContainerState | undefined>;
  /** Path of the network namespace of a pod, for port-forward; undefined for the node's own. */
  networkOf(pod: {
    readonly namespace: string;
    readonly name: string;
  }): Promise<{ readonly namespace: string | undefined } | undefined>;
  /** All pods of this node as last seen, static ones included. */
  list(): readonly Pod[];
}

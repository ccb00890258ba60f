// The interfaces between the agent's pods and the rest of the agent.
import type { Pod } from "../../api/types/core.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { Address } from "../../base/net/address.ts";
import type { ContainerState } from "../runtime/runtime.ts";

/** An address of a pod's interface, with the network it belongs to. */
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
  /** The id of the sandbox; each attempt has a new one. */
  readonly sandbox: string;
  /** The path of the network namespace. */
  readonly namespace: string;
  /** The addresses the pod had before: preferred, but not required. */
  readonly preferred?: readonly Address[];
}

/** The network that pods get their interfaces from; the agent's wiring implements it with the CNI runtime. */
export interface PodNetwork {
  /**
   * Attaches the pod to its networks and returns all its addresses, in the plugins' order. Rejects with the
   * reason that the event gives.
   */
  attach(request: PodNetworkRequest): Promise<readonly PodAddress[]>;
  /**
   * Detaches the sandbox from its networks; a no-op when nothing is attached. Resolves to a description of
   * what could not be undone and is given up.
   */
  detach(sandbox: string, options?: CallOptions): Promise<readonly string[]>;
  /**
   * Frees what is held for sandboxes that are not listed, also while others are made: a sandbox must be listed
   * before it is attached.
   */
  collect(listSandboxes: () => Promise<readonly string[]>, options?: CallOptions): Promise<void>;
}

/** The lookup by which the node's server (logs, exec, port-forward) finds containers. */
export interface PodContainers {
  /** Returns the newest container of that name in a pod of this node; with `previous`, the one before. */
  find(
    pod: { readonly namespace: string; readonly name: string; readonly uid?: string },
    container: string,
    options?: { readonly previous?: boolean },
  ): Promise<ContainerState | undefined>;
  /**
   * Returns a pod's network namespace by path, which is undefined for the node's, and the addresses that the
   * network gave the pod, whatever its status says.
   */
  networkOf(pod: { readonly namespace: string; readonly name: string }): Promise<
    | {
        readonly namespace: string | undefined;
        readonly addresses: readonly Address[];
      }
    | undefined
  >;
  /** Lists all pods of this node as last seen, static ones included. */
  list(): readonly Pod[];
}

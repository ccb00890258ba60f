import type { CallOptions, Commands } from "../../base/host/command.ts";
import type { Address } from "../../base/net/address.ts";

/** A network namespace that packets may pass on this machine. */
export interface Place {
  /** The name for people: that of the pod or node, if it is known. */
  readonly name: string;
  /** Runs commands inside of the namespace. */
  readonly commands: Commands;
  /** The addresses of the namespace, except those that every namespace has or may have. */
  readonly addresses: readonly Address[];
}

/** The namespaces of this machine, or those of a cluster on it. */
export interface Places {
  readonly all: readonly Place[];
  /** Returns the place itself, and all places that devices connect it to, directly or not. */
  around(from: Place, options?: CallOptions): Promise<readonly Place[]>;
}

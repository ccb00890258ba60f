import type { CallOptions, Commands } from "../../base/host/command.ts";
import type { Address } from "../../base/net/address.ts";

/** A network namespace that packets may pass on this machine. */
export interface Place {
  /** For people: that of the pod or node, if it is known. */
  readonly name: string;
  /** Run inside. */
  readonly commands: Commands;
  /** But for those that every namespace has, or may have. */
  readonly addresses: readonly Address[];
}

/** The namespaces of this machine, or those of a cluster on it. */
export interface Places {
  readonly all: readonly Place[];
  /** Those that cables lead to from there, directly or not, and itself. */
  around(from: Place, options?: CallOptions): Promise<readonly Place[]>;
}

// What stands behind the nodes: the project's own arrangement, or a cloud. Everything is a list of
// both families.

import type { Node, NodeAddress } from "../../../api/types/core.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { ControllerContext } from "../context.ts";

export interface NodeProvider {
  readonly name: string;
  /**
   * The pod CIDRs of a node that has none yet: one per family, the first family of the cluster first.
   * Asked again after a crash, it answers the same. Throws NoCidrLeftError when there is none.
   */
  podCidrs(node: Node, signal: AbortSignal): Promise<readonly Prefix[]>;
  /** Whatever was kept for nodes that are gone is free again; resolves to whether there was any. */
  releaseGone(signal: AbortSignal): Promise<boolean>;
  /** The node's addresses, where the provider knows them better than the node. */
  readonly addresses?: (node: Node, signal: AbortSignal) => Promise<readonly NodeAddress[]>;
  /** A table of routes outside of the nodes; without one, nodes route to each other by themselves. */
  readonly routes?: RouteTable;
}

/** Made anew for each term, with that term's caches. */
export type OpenProvider = (context: ControllerContext) => NodeProvider;

export interface RouteTable {
  list(signal: AbortSignal): Promise<readonly Route[]>;
  add(route: Route, signal: AbortSignal): Promise<void>;
  remove(route: Route, signal: AbortSignal): Promise<void>;
}

/** Pods of a node are reached through it. */
export interface Route {
  readonly node: string;
  readonly destination: Prefix;
  /** The node's addresses of the destination's family, or of the other where it has none of that. */
  readonly gateways: readonly Address[];
}

export class NoCidrLeftError extends Error {
  override readonly name = "NoCidrLeftError";
  readonly reason = "CIDRNotAvailable";
}

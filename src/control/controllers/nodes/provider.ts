// The node provider: the built-in one, or a cloud. All lists hold both families.

import type { Node, NodeAddress } from "../../../api/types/core.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { ControllerBase } from "../context.ts";

export interface NodeProvider {
  readonly name: string;
  /**
   * Returns the pod CIDRs for a node that has none yet: one per family, the first family of the cluster
   * first. After a crash it returns the same ones. Throws NoCidrLeftError if there is none.
   */
  podCidrs(node: Node, signal: AbortSignal): Promise<readonly Prefix[]>;
  /** Frees all reservations of nodes that are gone; resolves to whether there were any. */
  releaseGone(signal: AbortSignal): Promise<boolean>;
  /** Returns the node's addresses, if the provider knows them better than the node. */
  readonly addresses?: (node: Node, signal: AbortSignal) => Promise<readonly NodeAddress[]>;
  /** The route table outside of the nodes; without one, nodes route to each other by themselves. */
  readonly routes?: RouteTable;
}

/** Opens a provider, anew for each term, with that term's caches. */
export type OpenProvider = (context: ControllerBase) => NodeProvider;

export interface RouteTable {
  list(signal: AbortSignal): Promise<readonly Route[]>;
  add(route: Route, signal: AbortSignal): Promise<void>;
  remove(route: Route, signal: AbortSignal): Promise<void>;
}

/** A route to a node's pods through the node. */
export interface Route {
  readonly node: string;
  readonly destination: Prefix;
  /** The gateways: the node's addresses of the destination's family, or else of the other. */
  readonly gateways: readonly Address[];
}

export class NoCidrLeftError extends Error {
  override readonly name = "NoCidrLeftError";
  readonly reason = "CIDRNotAvailable";
}

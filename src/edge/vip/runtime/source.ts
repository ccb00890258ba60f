import type { Address } from "../../../base/net/address.ts";
import type { VipCluster, VipNode } from "../cluster.ts";
import type { KnownVips } from "./known-vips.ts";

/** All that a node's part in the VIPs follows from. */
export interface VipView {
  readonly cluster: VipCluster;
  /** In order of age. */
  readonly nodes: readonly VipNode[];
  /** What is written of the VIPs and cannot be right, so that it is not in the view. */
  readonly problems?: readonly string[];
}

/** What a node says about itself, to its peers and to people. */
export interface NodeReport {
  readonly takesPart: readonly Address[];
  readonly holds: readonly Holding[];
  /** The uses this node cannot serve at present. */
  readonly failing: readonly string[];
  /** When it came into the cluster: its Node object may have been made anew since. */
  readonly since?: string;
  /** Why its part in the VIPs is not what the cluster asks for. */
  readonly problem?: string;
}

export interface Holding {
  readonly vip: Address;
  readonly since: Date;
}

/** Where a node learns of the cluster, and tells it of itself. */
export interface VipSource {
  /**
   * Rejects when something cannot be fetched: half a list of peers is worse than an old one. The VIPs
   * are held against those that are known.
   */
  read(signal: AbortSignal, known?: KnownVips): Promise<VipView>;
  /** Calls back at every change; the function returned ends that. */
  subscribe(changed: () => void): () => void;
  publish(report: NodeReport, signal: AbortSignal): Promise<void>;
}

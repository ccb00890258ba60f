import type { Address } from "../../../base/net/address.ts";
import type { VipCluster, VipNode } from "../cluster.ts";
import type { KnownVips } from "./known-vips.ts";

/** The view that a node's part in the VIPs follows from. */
export interface VipView {
  readonly cluster: VipCluster;
  /** The nodes, oldest first. */
  readonly nodes: readonly VipNode[];
  /** The problems of VIPs in the status that cannot be right, and so are not in the view. */
  readonly problems?: readonly string[];
}

/** The report of a node about itself, for its peers and for people. */
export interface NodeReport {
  readonly takesPart: readonly Address[];
  readonly holds: readonly Holding[];
  /** The uses this node cannot serve at present. */
  readonly failing: readonly string[];
  /** The time when it joined the cluster: its Node object may have been recreated since. */
  readonly since?: string;
  /** The reason why its part in the VIPs is not what the cluster asks for. */
  readonly problem?: string;
}

export interface Holding {
  readonly vip: Address;
  readonly since: Date;
}

/** The source of the view, to which a node also publishes its report. */
export interface VipSource {
  /**
   * Reads the view. Rejects when something cannot be fetched: half a list of peers is worse than an old one.
   * The VIPs are checked against those that are known.
   */
  read(signal: AbortSignal, known?: KnownVips): Promise<VipView>;
  /** Calls back at every change; the function returned unsubscribes. */
  subscribe(changed: () => void): () => void;
  publish(report: NodeReport, signal: AbortSignal): Promise<void>;
}

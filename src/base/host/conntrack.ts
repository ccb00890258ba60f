import type { Address } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { CallOptions } from "./command.ts";

/** A selector of flows of one family and protocol; a field that is not given matches anything. */
export interface FlowSelector {
  readonly family: Family;
  readonly protocol: "tcp" | "udp" | "sctp";
  /** The sender of the first packet, before any translation. */
  readonly source?: Address;
  readonly sourcePort?: number;
  /** The destination of the first packet, before any translation. */
  readonly destination?: Address;
  readonly port?: number;
  /** The sender of the replies: the endpoint that the flow was translated to. */
  readonly replySource?: Address;
}

/** The kernel's connection tracking table, by conntrack(8). */
export interface Conntrack {
  /** Deletes flows, so that their next packet meets the rules of today. Returns how many there were. */
  deleteFlows(selectors: readonly FlowSelector[], options?: CallOptions): Promise<number>;
}

import type { Address } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { CallOptions } from "./command.ts";

/** Flows of one family and protocol; what is not given may be anything. */
export interface FlowSelector {
  readonly family: Family;
  readonly protocol: "tcp" | "udp" | "sctp";
  /** Who sent the first packet, before any translation. */
  readonly source?: Address;
  readonly sourcePort?: number;
  /** Where the first packet was sent to, before any translation. */
  readonly destination?: Address;
  readonly port?: number;
  /** Who answers: the endpoint that the flow was translated to. */
  readonly replySource?: Address;
}

/** The kernel's memory of flows, by conntrack(8). */
export interface Conntrack {
  /** Forgets flows, so that their next packet meets the rules of today. Returns how many there were. */
  deleteFlows(selectors: readonly FlowSelector[], options?: CallOptions): Promise<number>;
}

// The fate of packets by sender and destination. The same tables are checked against plans, and against
// the kernel with real packets.

import type { Service } from "../../../../../api/types/core.ts";
import type { EndpointSlice } from "../../../../../api/types/discovery.ts";
import type { Family } from "../../../../../base/net/family.ts";
import type { Party, ScenarioOptions } from "../scenario.ts";

export interface Scenario extends ScenarioOptions {
  readonly objects: (family: Family) => readonly (Service | EndpointSlice)[];
  /**
   * The table of packets: a row for each destination, a column for each sender. A cell holds for both
   * families: the endpoints that may be reached (`a` and `d` are on this node, `b` and `c` elsewhere),
   * with `*` where they see the node's address in place of the sender's.
   */
  readonly packets: string | Readonly<Record<Family, string>>;
  /** Whether a client reaches only one of the endpoints of its cell. */
  readonly isSticky?: boolean;
}

/** The scenarios, by what they show. */
export type Scenarios = Readonly<Record<string, Scenario>>;

/** A service that is reached at every kind of frontend. */
export const everywhere = {
  type: "LoadBalancer",
  lb: ["lb"],
  external: ["external"],
  ports: [{ port: 80, nodePort: 30080 }],
} as const;

export const local = { externalTrafficPolicy: "Local" } as const;

export interface Cell {
  readonly from: Party;
  /** The destination, such as `lb:80/udp`. */
  readonly to: string;
  readonly expected: string;
}

export function cells({ packets }: Scenario, family: Family): Cell[] {
  const table = typeof packets === "string" ? packets : packets[family];
  const [head = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const senders = head[0] === "" ? head.slice(1) : head;
  return rows.flatMap(([to = "", ...outcomes]) =>
    outcomes.map((expected, n) => ({ from: senders[n] as Party, to, expected })),
  );
}

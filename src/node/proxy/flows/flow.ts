import type { CallOptions } from "../../../base/host/command.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Endpoint } from "../plan/frontend.ts";

/** A flow of datagrams, as the kernel remembers it. */
export interface Flow {
  /** Where its first packet was sent to. */
  readonly destination: Pick<Endpoint, "address" | "port">;
  /** Who answers. */
  readonly answerer: Pick<Endpoint, "address" | "port">;
}

export interface Flows {
  listUdp(family: Family, options?: CallOptions): Promise<readonly Flow[]>;
}

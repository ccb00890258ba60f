import type { CallOptions } from "../../../base/host/command.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Endpoint } from "../plan/frontend.ts";

/** A UDP flow, as conntrack remembers it. */
export interface Flow {
  /** The address and port that the first packet was sent to. */
  readonly destination: Pick<Endpoint, "address" | "port">;
  /** The address and port that answers, the backend of a translated flow. */
  readonly answerer: Pick<Endpoint, "address" | "port">;
}

export interface Flows {
  listUdp(family: Family, options?: CallOptions): Promise<readonly Flow[]>;
}

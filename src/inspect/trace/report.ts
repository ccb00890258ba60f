import type { Probe, ProbeResult } from "./probe.ts";
import type { Connection, Route } from "./surroundings.ts";
import type { Verdict } from "./verdict.ts";
import type { Visit } from "./visits.ts";

/** A visit, and what the kernel knows besides. */
export interface Hop extends Visit {
  /** How it went on; none if it stayed. */
  readonly route: Route | undefined;
  readonly connection: Connection | undefined;
  /** The service it was taken for here, and its port: `shop/web:http`. */
  readonly service: string | undefined;
}

export interface TraceReport {
  readonly probe: Omit<Probe, "timeoutMs"> & ProbeResult;
  readonly verdict: Verdict;
  readonly hops: readonly Hop[];
  /** The way of the first answer. */
  readonly answer: readonly Visit[];
  /** What the reader must know to judge this. */
  readonly notes: readonly string[];
}

import type { Probe, ProbeResult } from "./probe.ts";
import type { Connection, Route } from "./surroundings.ts";
import type { Verdict } from "./verdict.ts";
import type { Visit } from "./visits.ts";

/** A visit of a namespace, and what else the kernel knows about it. */
export interface Hop extends Visit {
  /** The route by which the packet left; `undefined` if it stayed. */
  readonly route: Route | undefined;
  readonly connection: Connection | undefined;
  /** The service that the packet was translated for here, and its port: `shop/web:http`. */
  readonly service: string | undefined;
}

export interface TraceReport {
  readonly probe: Omit<Probe, "timeoutMs"> & ProbeResult;
  readonly verdict: Verdict;
  readonly hops: readonly Hop[];
  /** The visits of the first answer. */
  readonly answer: readonly Visit[];
  /** Notes that the reader needs to judge the report. */
  readonly notes: readonly string[];
}

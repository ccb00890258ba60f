// What a page needs of a trace.

import { Address } from "../../../base/net/address.ts";
import { hopLines, type TraceReport } from "../../trace/trace.ts";
import type { TracedWay } from "../model/trace-request.ts";

export function tracedWay({ probe, verdict, hops, notes }: TraceReport): TracedWay {
  // A report that came from another process has texts for addresses.
  const destination = probe.destination.toString();
  const last = hops.at(-1)?.last;
  return {
    family: Address.parse(destination).family,
    from: hops[0]?.first.source ?? probe.source?.toString() ?? "",
    to: last === undefined ? destination : `${destination}, port ${probe.port}`,
    isDelivered: verdict.kind === "delivered",
    verdict: verdict.kind,
    text: verdict.text,
    hops: hops.map((hop) => ({ place: hop.place, lines: hopLines(hop) })),
    notes,
  };
}

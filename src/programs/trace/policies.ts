// Explains what policies say of a traced packet: which rule allows it, or why none does.

import type { Client } from "../../api/client/client.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { TraceReport } from "../../inspect/trace/trace.ts";
import { type Explanation, explain, readableState } from "../../node/policy/policy.ts";

/** Adds to each report what the policies of both ends say, after translation. */
export async function withPolicies(
  reports: readonly TraceReport[],
  client: Client,
  options: CallOptions,
): Promise<readonly TraceReport[]> {
  const state = await readableState(client, options);
  if (state === undefined) return reports;
  return reports.map((report) => {
    const { probe, hops, notes } = report;
    const last = hops.at(-1)?.last;
    const source = hops[0]?.first.source ?? probe.source?.toString();
    if (source === undefined) return report;
    const said = explain(state, {
      source,
      destination: last?.destination ?? probe.destination.toString(),
      protocol: probe.protocol,
      port: last?.destinationPort ?? probe.port,
    });
    return { ...report, notes: [...notes, ...said.map(explanationText)] };
  });
}

function explanationText({ direction, isAllowed, isAudited, by }: Explanation): string {
  if (isAllowed) return `${direction} is allowed by policy: ${by}`;
  return isAudited
    ? `${direction} would be denied by policy, but the namespace is in audit mode: ${by}`
    : `${direction} is denied by policy: ${by}`;
}

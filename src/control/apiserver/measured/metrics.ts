// Turns what nodes say of their usage into objects. Nodes may be hostile: what they say counts for their own
// pods only, and numbers are all that is taken over.

import type { Node, Pod } from "../../../api/types/core.ts";
import type { NodeMetrics, PodMetrics } from "../../../api/types/metrics.ts";
import type { NodeSummary, SummaryUsage } from "../ports.ts";

/** The time that rates are about; nodes measure between two requests, which is about that long. */
const window = "10s";

export function nodeMetrics(
  { metadata }: Node,
  summary: NodeSummary | undefined,
): Omit<NodeMetrics, "apiVersion" | "kind"> | undefined {
  const usage = usageOf(summary?.node);
  if (usage === undefined) return undefined;
  const { name, labels, creationTimestamp } = metadata;
  return {
    metadata: {
      name,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp: timeOf(summary?.node),
    window,
    usage,
  };
}

export function podMetrics(
  pod: Pod,
  summary: NodeSummary | undefined,
): Omit<PodMetrics, "apiVersion" | "kind"> | undefined {
  const { namespace, name, uid, labels, creationTimestamp } = pod.metadata;
  const found = summary?.pods?.find(({ podRef }) => podRef?.uid === uid);
  if (found === undefined) return undefined;
  const containers = (pod.spec.containers ?? []).flatMap((container) => {
    const usage = usageOf(found.containers?.find((each) => each.name === container.name));
    return usage === undefined ? [] : [{ name: container.name, usage }];
  });
  if (containers.length === 0) return undefined;
  return {
    metadata: {
      name,
      namespace,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp: timeOf(found),
    window,
    containers,
  };
}

function usageOf(usage: SummaryUsage | undefined): Record<string, string> | undefined {
  const cpu = usage?.cpu?.usageNanoCores;
  const memory = usage?.memory?.workingSetBytes;
  if (!isAmount(cpu) || !isAmount(memory)) return undefined;
  return { cpu: `${Math.round(cpu)}n`, memory: `${Math.floor(memory / 1024)}Ki` };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function timeOf(usage: SummaryUsage | undefined): string {
  const time = Date.parse(String(usage?.cpu?.time));
  return new Date(Number.isNaN(time) ? 0 : time).toISOString().replace(/\.\d+Z$/, "Z");
}

import { nanosOf } from "../../fields/quantity.ts";
import type { PodSpec } from "../../types/core.ts";

const counted = ["cpu", "memory"];

/** Returns the QoS class: best-effort pods are evicted first when their node runs short. */
export function qualityOfService(spec: PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const amounts = containers.map(({ resources = {} }) => ({
    limits: positive(resources.limits),
    requests: positive(resources.requests),
  }));
  if (amounts.every(({ limits, requests }) => limits.size + requests.size === 0))
    return "BestEffort";
  const isFixed = amounts.every(({ limits, requests }) =>
    counted.every((name) => limits.has(name) && limits.get(name) === requests.get(name)),
  );
  return isFixed ? "Guaranteed" : "Burstable";
}

function positive(amounts: Readonly<Record<string, string>> | undefined): Map<string, bigint> {
  const entries = counted.map((name): [string, bigint] => [name, nanosOf(amounts?.[name] ?? "0")]);
  return new Map(entries.filter(([, nanos]) => nanos > 0n));
}

// The downward API: what a pod can be told about itself, in variables and in files.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { Container, Pod, ResourceFieldSelector } from "../../../api/types/core.ts";
import { ConfigurationError } from "./error.ts";

export interface PodFacts {
  readonly pod: Pod;
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
  /** The resources that containers without limits may use. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Returns the value of a field, such as `metadata.labels['app']` or `status.podIPs`. */
export function fieldValue(facts: PodFacts, path: string): string {
  const { metadata } = facts.pod;
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (map === "labels" || map === "annotations") return metadata[map]?.[key ?? ""] ?? "";
  const read = readers[path];
  if (read !== undefined) return read(facts);
  throw new ConfigurationError(
    "show a field of the pod",
    `fieldPath: ${JSON.stringify(path)} is not supported`,
  );
}

/** Returns a limit or request in units of the divisor, rounded up. */
export function resourceValue(
  container: Pick<Container, "name" | "resources">,
  { resource, divisor = "0" }: ResourceFieldSelector,
  { allocatable }: Pick<PodFacts, "allocatable">,
): string {
  const [list = "", name = ""] = /^(limits|requests)\.(.+)$/.exec(resource)?.slice(1) ?? [];
  const { limits = {}, requests = {} } = container.resources ?? {};
  const limit = limits[name] ?? allocatable[name] ?? "0";
  const amount = list === "limits" ? limit : (requests[name] ?? limits[name] ?? "0");
  const unit = nanosOf(divisor) || nanosOf("1");
  return String((nanosOf(amount) + unit - 1n) / unit);
}

const readers: Readonly<Record<string, (facts: PodFacts) => string>> = {
  "metadata.name": ({ pod }) => pod.metadata.name,
  "metadata.namespace": ({ pod }) => pod.metadata.namespace,
  "metadata.uid": ({ pod }) => pod.metadata.uid ?? "",
  "metadata.labels": ({ pod }) => lines(pod.metadata.labels),
  "metadata.annotations": ({ pod }) => lines(pod.metadata.annotations),
  "spec.nodeName": ({ pod }) => pod.spec.nodeName ?? "",
  "spec.serviceAccountName": ({ pod }) => pod.spec.serviceAccountName ?? "",
  "status.podIP": ({ podIPs }) => podIPs[0] ?? "",
  "status.podIPs": ({ podIPs }) => podIPs.join(","),
  "status.hostIP": ({ hostIPs }) => hostIPs[0] ?? "",
  "status.hostIPs": ({ hostIPs }) => hostIPs.join(","),
};

/** Formats a map as sorted lines of `key="value"`. */
function lines(map: Readonly<Record<string, string>> = {}): string {
  const keys = Object.keys(map).toSorted();
  return keys.map((key) => `${key}=${JSON.stringify(map[key])}`).join("\n");
}

// The allocated fields that a service needs, by its `type`.
import type { Service } from "../../types/core.ts";

export function isHeadless({ spec }: Service): boolean {
  return (
    spec.type !== "ExternalName" && spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None"
  );
}

export function needsClusterIP({ spec }: Service): boolean {
  return spec.type !== "ExternalName";
}

/** Returns whether services of the type can have node ports, allocated or requested. */
export function mayHaveNodePorts({ spec }: Service): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

export function needsNodePorts({ spec }: Service): boolean {
  return (
    spec.type === "NodePort" ||
    (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false)
  );
}

export function needsHealthCheckNodePort({ spec }: Service): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

export function isExternallyAccessible({ spec }: Service): boolean {
  return (
    spec.type === "LoadBalancer" ||
    spec.type === "NodePort" ||
    (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0)
  );
}

export function sameList(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  const left = one ?? [];
  const right = other ?? [];
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

// Services are a union with `type` as its tag: which of the allocated fields a service needs.
import type { Service } from "../../types/core.ts";

export function isHeadless({ spec }: Service): boolean {
  return (
    spec.type !== "ExternalName" && spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None"
  );
}

export function needsClusterIP({ spec }: Service): boolean {
  return spec.type !== "ExternalName";
}

/** Whether the type has node ports at all, allocated or asked for. */
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

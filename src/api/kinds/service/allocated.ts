// Fields the server allocates: a client that writes its own manifest again gets them back, and a
// service that changes to a type without them gives them up.
import type { Service } from "../../types/core.ts";
import {
  isExternallyAccessible,
  mayHaveNodePorts,
  needsClusterIP,
  needsHealthCheckNodePort,
  needsNodePorts,
  sameList,
} from "./needs.ts";

/** Restores allocated values that the request left out. */
export function keepAllocated(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIP(old) && needsClusterIP(service)) {
    const { clusterIP, clusterIPs = [] } = old.spec;
    if (!spec.clusterIP && clusterIP) spec.clusterIP = clusterIP;
    if ((spec.clusterIPs?.length ?? 0) === 0 && clusterIPs.length > 0) {
      spec.clusterIPs = [...clusterIPs];
    }
  }
  if (needsNodePorts(old) && needsNodePorts(service)) keepNodePorts(service, old);
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(service)) {
    if (!spec.healthCheckNodePort && old.spec.healthCheckNodePort !== undefined) {
      spec.healthCheckNodePort = old.spec.healthCheckNodePort;
    }
  }
}

/** Removes allocated values that the new type does not have; those the request changed stay, as errors. */
export function dropUnneeded(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIP(old) && !needsClusterIP(service)) {
    if (sameList(old.spec.clusterIPs, spec.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(old.spec.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies;
    if (old.spec.ipFamilyPolicy === spec.ipFamilyPolicy) delete spec.ipFamilyPolicy;
    if (old.spec.endpointFamily === spec.endpointFamily) delete spec.endpointFamily;
    if (old.spec.internalTrafficPolicy === spec.internalTrafficPolicy) {
      delete spec.internalTrafficPolicy;
    }
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(service) && !hasNewNodePort(service, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(service)) {
    if (old.spec.healthCheckNodePort === spec.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (old.spec.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (old.spec.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (old.spec.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service)) {
    if (old.spec.externalTrafficPolicy === spec.externalTrafficPolicy) {
      delete spec.externalTrafficPolicy;
    }
  }
}

/** Restores node ports by port name, except those that another port uses now. */
function keepNodePorts(service: Service, old: Service): void {
  const wanted = nodePorts(service);
  const byName = new Map((old.spec.ports ?? []).map((port) => [port.name ?? "", port.nodePort]));
  for (const port of service.spec.ports ?? []) {
    if (port.nodePort) continue;
    const before = byName.get(port.name ?? "");
    if (before && !wanted.has(before)) port.nodePort = before;
  }
}

function hasNewNodePort(service: Service, old: Service): boolean {
  const before = nodePorts(old);
  return [...nodePorts(service)].some((port) => !before.has(port));
}

function nodePorts({ spec }: Service): Set<number> {
  return new Set((spec.ports ?? []).map((port) => port.nodePort ?? 0).filter((port) => port > 0));
}

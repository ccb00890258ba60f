// What is kept of each object. The rest, such as environments of containers and annotations, never reaches
// a page, and a cluster of thousands of pods stays small.

import type { Event, Node, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { NamedMeta, NamespacedMeta } from "../../../api/types/meta.ts";
import type { Ingress, ServiceCIDR } from "../../../api/types/networking.ts";
import { defined } from "../../../base/json/defined.ts";
import { type AddressPool, serviceNameLabel } from "../model/cluster.ts";

export const slim = {
  nodes: ({ spec, status, ...rest }: Node): Node => ({
    ...named(rest),
    spec: defined({ podCIDRs: spec.podCIDRs, unschedulable: spec.unschedulable }),
    status: {
      addresses: status?.addresses ?? [],
      conditions: readiness(status?.conditions),
      ...(status?.nodeInfo === undefined ? {} : { nodeInfo: status.nodeInfo }),
    },
  }),
  pods: ({ spec, status, ...rest }: Pod): Pod => ({
    ...named(rest),
    spec: {
      containers: [],
      ...defined({ nodeName: spec.nodeName, hostNetwork: spec.hostNetwork }),
    },
    status: {
      ...defined({ phase: status?.phase, reason: status?.reason }),
      podIPs: (status?.podIPs ?? []).map(({ ip }) => ({ ip })),
      conditions: readiness(status?.conditions),
    },
  }),
  services: ({ spec, status, ...rest }: Service): Service => ({
    ...named(rest),
    spec: defined({
      type: spec.type,
      clusterIP: spec.clusterIP,
      clusterIPs: spec.clusterIPs,
      ipFamilies: spec.ipFamilies,
      ipFamilyPolicy: spec.ipFamilyPolicy,
      endpointFamily: spec.endpointFamily,
      externalIPs: spec.externalIPs,
      externalName: spec.externalName,
      ports: spec.ports,
    }),
    status: defined({ loadBalancer: status?.loadBalancer }),
  }),
  slices: ({ addressType, endpoints, ...rest }: EndpointSlice): EndpointSlice => ({
    ...named(rest, [serviceNameLabel]),
    addressType,
    endpoints: (endpoints ?? []).map(({ addresses, conditions, nodeName, targetRef }) => ({
      addresses: addresses.slice(0, 1),
      ...defined({ conditions, nodeName }),
      ...(targetRef && { targetRef: defined({ kind: targetRef.kind, name: targetRef.name }) }),
    })),
  }),
  ingresses: ({ spec, status, ...rest }: Ingress): Ingress => ({
    ...named(rest),
    spec: defined({ rules: spec.rules, defaultBackend: spec.defaultBackend }),
    status: defined({ loadBalancer: status?.loadBalancer }),
  }),
  serviceCidrs: ({ spec, ...rest }: ServiceCIDR): ServiceCIDR => ({
    ...named(rest),
    spec: defined({ cidrs: spec.cidrs }),
  }),
  pools: ({ spec, ...rest }: AddressPool): AddressPool => ({
    ...named(rest),
    spec: { addresses: spec.addresses },
  }),
  events: (event: Event): Event => ({
    ...named(event),
    involvedObject: {},
    ...defined({
      type: event.type,
      reason: event.reason,
      message: event.message,
      count: event.count,
      firstTimestamp: event.firstTimestamp,
      lastTimestamp: event.lastTimestamp,
      eventTime: event.eventTime,
      source: event.source,
      reportingComponent: event.reportingComponent,
    }),
  }),
};

interface Named<Version, Kind, Meta> {
  readonly apiVersion: Version;
  readonly kind: Kind;
  readonly metadata: Meta;
}

/** Keeps what tells an object and its version apart, and of its labels the given ones. */
function named<V, K, Meta extends NamedMeta | NamespacedMeta>(
  { apiVersion, kind, metadata }: Named<V, K, Meta>,
  labels: readonly string[] = [],
): { apiVersion: V; kind: K; metadata: Meta } {
  const kept = labels.flatMap((label) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [[label, value] as const];
  });
  const slimmed = defined({
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    ...(kept.length > 0 && { labels: Object.fromEntries(kept) }),
  });
  return { apiVersion, kind, metadata: slimmed as unknown as Meta };
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
}

function readiness(conditions: readonly Condition[] = []): Condition[] {
  return conditions
    .filter(({ type }) => type === "Ready")
    .map(({ type, status, reason }) => ({ type, status, ...defined({ reason }) }));
}

// What is kept of each object. The rest, such as environments of containers and annotations, never reaches
// a page, and a cluster of thousands of pods stays small.

import {
  furtherFamilyLabel,
  managedByLabel,
  proxyNameLabel,
  serviceNameLabel,
} from "../../../api/kinds/discovery.ts";
import { servicesConditions } from "../../../api/kinds/node-conditions.ts";
import type { Event, Node, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { NamedMeta, NamespacedMeta } from "../../../api/types/meta.ts";
import type { Ingress, NetworkPolicy, ServiceCIDR } from "../../../api/types/networking.ts";
import { defined } from "../../../base/json/defined.ts";
import type { AddressPool } from "../model/cluster.ts";
import type { IpamPool, NodeSlicePool } from "../model/ipam.ts";
import {
  slimIpPool,
  slimNodeSlicePool,
  type WrittenIpPool,
  type WrittenNodeSlicePool,
} from "./slim-ipam.ts";

/** By this label a node takes no addresses of load balancers. */
const excludedLabel = "node.kubernetes.io/exclude-from-external-load-balancers";
/** In this annotation a node says which VIPs it holds. */
const vipAnnotation = "tandem.internal/vip";

/** By these labels slices say of which service they are, and who counts them. */
const sliceLabels = [serviceNameLabel, furtherFamilyLabel, managedByLabel, proxyNameLabel];

export const slim = {
  nodes: ({ spec, status, ...rest }: Node): Node => ({
    ...named(rest, [excludedLabel], [vipAnnotation]),
    spec: defined({ podCIDRs: spec.podCIDRs, unschedulable: spec.unschedulable }),
    status: {
      addresses: status?.addresses ?? [],
      conditions: [...readiness(status?.conditions), ...ofServices(status?.conditions)],
      ...(status?.nodeInfo === undefined ? {} : { nodeInfo: status.nodeInfo }),
    },
  }),
  pods: ({ spec, status, ...rest }: Pod): Pod => ({
    ...named(rest),
    spec: {
      containers: spec.containers.map(({ name }) => ({ name })),
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
      externalTrafficPolicy: spec.externalTrafficPolicy,
      loadBalancerClass: spec.loadBalancerClass,
      externalName: spec.externalName,
      ports: spec.ports,
    }),
    status: defined({ loadBalancer: status?.loadBalancer }),
  }),
  slices: ({ addressType, endpoints, ...rest }: EndpointSlice): EndpointSlice => ({
    ...named(rest, sliceLabels),
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
  ipPools: (pool: WrittenIpPool): IpamPool => ({ ...named(pool), ...slimIpPool(pool) }),
  nodeSlicePools: (pool: WrittenNodeSlicePool): NodeSlicePool => ({
    ...named(pool),
    ...slimNodeSlicePool(pool),
  }),
  policies: ({ spec, ...rest }: NetworkPolicy): NetworkPolicy => ({ ...named(rest), spec }),
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

/** Keeps what tells an object and its version apart, and of its labels and annotations the given ones. */
function named<V, K, Meta extends NamedMeta | NamespacedMeta>(
  { apiVersion, kind, metadata }: Named<V, K, Meta>,
  labels: readonly string[] = [],
  annotations: readonly string[] = [],
): { apiVersion: V; kind: K; metadata: Meta } {
  const slimmed = defined({
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    labels: only(metadata.labels, labels),
    annotations: only(metadata.annotations, annotations),
  });
  return { apiVersion, kind, metadata: slimmed as unknown as Meta };
}

function only(
  all: Readonly<Record<string, string>> | undefined,
  names: readonly string[],
): Record<string, string> | undefined {
  const kept = names.flatMap((name) => {
    const value = all?.[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

function readiness(conditions: readonly Condition[] = []): Condition[] {
  return conditions
    .filter(({ type }) => type === "Ready")
    .map(({ type, status, reason }) => ({ type, status, ...defined({ reason }) }));
}

/** What nodes say of services in their kernels, with what is wrong. */
function ofServices(conditions: readonly Condition[] = []): Condition[] {
  return conditions
    .filter(({ type }) => servicesConditions.includes(type))
    .map(({ type, status, message }) => ({ type, status, ...defined({ message }) }));
}

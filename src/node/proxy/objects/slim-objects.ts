// The fields of objects that plans are made of; the others are not kept in memory.

import { decidingLabels } from "../../../api/kinds/discovery.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import type { NamespacedMeta } from "../../../api/types/meta.ts";
import { defined } from "../../../base/json/defined.ts";

export function slimService({ apiVersion, kind, metadata, spec, status }: Service): Service {
  const { creationTimestamp, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: defined({ ...place(metadata), creationTimestamp, labels }),
    spec: defined({
      type: spec.type,
      selector: spec.selector,
      clusterIPs: spec.clusterIPs ?? (spec.clusterIP === undefined ? undefined : [spec.clusterIP]),
      externalIPs: spec.externalIPs,
      ipFamilies: spec.ipFamilies,
      endpointFamily: spec.endpointFamily,
      ports: spec.ports?.map(({ name, protocol, port, nodePort }) =>
        defined({ name, protocol, port, nodePort }),
      ),
      internalTrafficPolicy: unlessUsual(spec.internalTrafficPolicy, "Cluster"),
      externalTrafficPolicy: unlessUsual(spec.externalTrafficPolicy, "Cluster"),
      sessionAffinity: unlessUsual(spec.sessionAffinity, "None"),
      sessionAffinityConfig: spec.sessionAffinityConfig,
      loadBalancerSourceRanges: spec.loadBalancerSourceRanges,
      healthCheckNodePort: spec.healthCheckNodePort,
    }),
    ...(status?.loadBalancer?.ingress !== undefined && {
      status: { loadBalancer: status.loadBalancer },
    }),
  };
}

/** Slims an EndpointSlice. Only endpoints of `node` keep their target, by which they are told apart. */
export function slimSlice(slice: EndpointSlice, node: string): EndpointSlice {
  const { apiVersion, kind, metadata, addressType, endpoints = [], ports } = slice;
  return defined({
    apiVersion,
    kind,
    metadata: { ...place(metadata), labels: decidingLabels(slice) },
    addressType,
    endpoints: endpoints.map((endpoint) => slimEndpoint(endpoint, node)),
    ports,
  });
}

function slimEndpoint(endpoint: Endpoint, node: string): Endpoint {
  const { addresses, conditions = {}, hints, nodeName, targetRef } = endpoint;
  const { ready = true, serving = true, terminating = false } = conditions;
  const isPlain = ready && serving && !terminating;
  return defined({
    addresses: addresses.slice(0, 1),
    nodeName,
    conditions: isPlain ? undefined : { ready, serving, terminating },
    hints,
    targetRef: nodeName === node ? targetRef : undefined,
  });
}

function place({ namespace, name, uid, resourceVersion }: NamespacedMeta): NamespacedMeta {
  return defined({ namespace, name, uid, resourceVersion });
}

function unlessUsual<T extends string>(value: T | undefined, usual: T): T | undefined {
  return value === usual ? undefined : value;
}

// What is kept of each object: the fields that plans are made of.

import type { Service } from "../../api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../../api/types/discovery.ts";
import type { NamespacedMeta } from "../../api/types/meta.ts";

export const serviceNameLabel = "kubernetes.io/service-name";

export function slimService({ apiVersion, kind, metadata, spec, status }: Service): Service {
  const { selector: _, ...kept } = spec;
  const { creationTimestamp, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...place(metadata),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(labels !== undefined && { labels }),
    },
    spec: kept,
    ...(status?.loadBalancer !== undefined && { status: { loadBalancer: status.loadBalancer } }),
  };
}

/** `node` is the one whose endpoints must be told apart by what they stand for. */
export function slimSlice(slice: EndpointSlice, node: string): EndpointSlice {
  const { apiVersion, kind, metadata, addressType, endpoints = [], ports } = slice;
  const service = metadata.labels?.[serviceNameLabel];
  return {
    apiVersion,
    kind,
    metadata: {
      ...place(metadata),
      ...(service !== undefined && { labels: { [serviceNameLabel]: service } }),
    },
    addressType,
    endpoints: endpoints.map((endpoint) => slimEndpoint(endpoint, node)),
    ...(ports !== undefined && { ports }),
  };
}

function slimEndpoint(endpoint: Endpoint, node: string): Endpoint {
  const { addresses, conditions = {}, hints, nodeName, targetRef } = endpoint;
  const { ready = true, serving = true, terminating = false } = conditions;
  const isPlain = ready && serving && !terminating;
  return {
    addresses,
    ...(nodeName !== undefined && { nodeName }),
    ...(!isPlain && { conditions: { ready, serving, terminating } }),
    ...(hints !== undefined && { hints }),
    ...(targetRef !== undefined && nodeName === node && { targetRef }),
  };
}

function place({ namespace, name, uid, resourceVersion }: NamespacedMeta): NamespacedMeta {
  return {
    namespace,
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

// Slims objects to the fields that records are made of, since clusters have many pods.

import { decidingLabels, proxyNameLabel } from "../../../api/kinds/discovery.ts";
import type { Endpoints, Namespace, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { NamedMeta, NamespacedMeta } from "../../../api/types/meta.ts";
import { defined } from "../../../base/json/defined.ts";

export function slimService({ apiVersion, kind, metadata, spec }: Service): Service {
  const { type, clusterIP, clusterIPs, externalName, endpointFamily } = spec;
  const { publishNotReadyAddresses, ports, selector } = spec;
  const kept = defined({
    type,
    clusterIP,
    clusterIPs,
    externalName,
    endpointFamily,
    publishNotReadyAddresses,
    selector,
  });
  const named = ports?.filter(({ name }) => name !== undefined && name !== "") ?? [];
  const slimPorts = named.map(({ name, protocol, port }) => ({
    ...defined({ name, protocol }),
    port,
  }));
  const proxy = metadata.labels?.[proxyNameLabel];
  const labels = proxy === undefined ? {} : { labels: { [proxyNameLabel]: proxy } };
  return {
    apiVersion,
    kind,
    metadata: { ...place(metadata), ...labels },
    spec: { ...kept, ports: slimPorts },
  };
}

export function slimSlice(slice: EndpointSlice): EndpointSlice {
  const { apiVersion, kind, metadata, addressType, endpoints = [], ports } = slice;
  return {
    apiVersion,
    kind,
    metadata: { ...place(metadata), labels: decidingLabels(slice) },
    addressType,
    endpoints: endpoints.map(({ addresses, conditions, hostname }) => ({
      addresses,
      ...defined({ hostname }),
      ...(conditions?.ready === undefined ? {} : { conditions: { ready: conditions.ready } }),
    })),
    ...defined({ ports }),
  };
}

export function slimEndpoints({ apiVersion, kind, metadata, subsets = [] }: Endpoints): Endpoints {
  const slim = (addresses: (typeof subsets)[number]["addresses"]) =>
    addresses?.map(({ ip, ips, hostname }) => ({ ip, ...defined({ ips, hostname }) })) ?? [];
  return {
    apiVersion,
    kind,
    metadata: place(metadata),
    subsets: subsets.map(({ addresses, notReadyAddresses, ports }) => ({
      addresses: slim(addresses),
      notReadyAddresses: slim(notReadyAddresses),
      ...defined({ ports }),
    })),
  };
}

export function slimPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { phase, podIP, podIPs } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: place(metadata),
    spec: { containers: [], ...defined({ hostNetwork: spec.hostNetwork }) },
    status: defined({ phase, podIP, podIPs }),
  };
}

export function slimNamespace({ apiVersion, kind, metadata }: Namespace): Namespace {
  const { name, uid, resourceVersion } = metadata;
  const kept: NamedMeta = { name, ...defined({ uid, resourceVersion }) };
  return { apiVersion, kind, metadata: kept, spec: {} };
}

/** The metadata by which the cache identifies an object and its version. */
function place({ namespace, name, uid, resourceVersion }: NamespacedMeta): NamespacedMeta {
  return { namespace, name, ...defined({ uid, resourceVersion }) };
}

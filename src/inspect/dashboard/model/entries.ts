// The entries of a service: where clients outside of the cluster reach it.

import type { Service } from "../../../api/types/core.ts";
import type { Ingress } from "../../../api/types/networking.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { type ClusterObjects, ofFamily, parsed } from "./cluster.ts";
import { pairOf } from "./lamps.ts";

export interface Entry {
  /** The kind of entry and its name, unique among the entries of a service. */
  readonly title: string;
  readonly addresses: Readonly<Record<Family, readonly string[]>>;
}

export function entriesOf(service: Service, cluster: ClusterObjects): readonly Entry[] {
  const { spec, status } = service;
  const ports = (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  const balancer = parsed((status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  return [
    ...(spec.type === "LoadBalancer" ? [entry("load balancer", balancer)] : []),
    ...(spec.externalIPs?.length ? [entry("external IPs", parsed(spec.externalIPs))] : []),
    ...(ports.length > 0 ? [nodePortEntry(ports, cluster)] : []),
    ...cluster.ingresses
      .filter((ingress) => leadsTo(ingress, service))
      .map((ingress) => entry(`ingress ${ingress.metadata.name}`, addressesOfIngress(ingress))),
  ];
}

export function addressesOfIngress({ status }: Ingress): readonly Address[] {
  return parsed((status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
}

function nodePortEntry(ports: readonly number[], { nodes }: ClusterObjects): Entry {
  const internal = nodes.flatMap(({ status }) =>
    (status?.addresses ?? []).flatMap(({ type, address }) =>
      type === "InternalIP" ? address : [],
    ),
  );
  return entry(`node port ${ports.join(", ")}`, parsed(internal));
}

function entry(title: string, addresses: readonly Address[]): Entry {
  return { title, addresses: pairOf((family) => ofFamily(addresses, family).map(String)) };
}

function leadsTo({ metadata, spec }: Ingress, service: Service): boolean {
  if (metadata.namespace !== service.metadata.namespace) return false;
  const backends = [
    spec.defaultBackend,
    ...(spec.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend)),
  ];
  return backends.some((backend) => backend?.service?.name === service.metadata.name);
}

// Connections and bytes of services in each family, from the connection tables of nodes.

import { keyOf } from "../../../api/client/objects.ts";
import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { backendsOf, readyIn } from "./backends.ts";
import {
  addressesOfNode,
  type ClusterObjects,
  clusterAddresses,
  parsed,
  slicesByService,
} from "./cluster.ts";

/** A connection as its first packet was, before any translation. */
export interface Flow {
  readonly family: Family;
  readonly protocol: string;
  readonly source: string;
  readonly sourcePort: string;
  readonly destination: string;
  readonly port: string;
  /** In both directions; undefined if the kernel does not count them. */
  readonly bytes: number | undefined;
}

export interface ServiceTraffic {
  readonly service: string;
  readonly family: Family;
  readonly readyEndpoints: number;
  /** Undefined if no connection table could be read. */
  readonly connections: number | undefined;
  readonly bytes: number | undefined;
}

/** Parses what `conntrack -L` prints. */
export function readFlows(text: string): readonly Flow[] {
  return text.split("\n").flatMap((line) => {
    const [protocol = ""] = line.split(/\s+/, 1);
    const field = (name: string): string | undefined =>
      new RegExp(String.raw`(?:^|\s)${name}=(\S+)`).exec(line)?.[1];
    const destination = Address.tryParse(field("dst") ?? "");
    const source = Address.tryParse(field("src") ?? "");
    if (destination === undefined || source === undefined) return [];
    const bytes = [...line.matchAll(/\sbytes=(\d+)/g)].map(([, count]) => Number(count));
    return {
      family: destination.family,
      protocol,
      source: source.toString(),
      sourcePort: field("sport") ?? "",
      destination: destination.toString(),
      port: field("dport") ?? "",
      bytes: bytes.length === 0 ? undefined : bytes.reduce((sum, count) => sum + count, 0),
    };
  });
}

/** Returns a row for each service and family that it has; `flows` is undefined if none could be read. */
export function trafficOf(
  cluster: ClusterObjects,
  flows: readonly Flow[] | undefined,
): readonly ServiceTraffic[] {
  const byFrontend = Map.groupBy(onceEach(flows ?? []), frontendOf);
  const slices = slicesByService(cluster.slices);
  return cluster.services
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap((service) => {
      const backends = backendsOf(slices.get(keyOf(service)) ?? []);
      const met = [...frontendsOf(service, cluster)].flatMap((one) => byFrontend.get(one) ?? []);
      return families
        .filter((family) => service.spec.ipFamilies?.includes(family) === true)
        .map((family) => {
          const own = met.filter((flow) => flow.family === family);
          return {
            service: keyOf(service),
            family,
            readyEndpoints: readyIn(backends, family),
            connections: flows === undefined ? undefined : own.length,
            bytes: sumOf(own),
          };
        });
    });
}

/** A connection that passes several nodes is in the table of each. */
function onceEach(flows: readonly Flow[]): readonly Flow[] {
  const known = new Map<string, Flow>();
  for (const flow of flows) {
    const { protocol, source, sourcePort } = flow;
    known.set([protocol, source, sourcePort, frontendOf(flow)].join(" "), flow);
  }
  return [...known.values()];
}

function frontendOf({ protocol, destination, port }: Omit<Flow, "bytes">): string {
  return `${protocol} ${destination} ${port}`;
}

/** All places at which a service is reached. */
function frontendsOf(service: Service, { nodes }: ClusterObjects): ReadonlySet<string> {
  const { spec, status } = service;
  const balancer = (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  const own = [
    ...clusterAddresses(service),
    ...parsed(balancer),
    ...parsed(spec.externalIPs ?? []),
  ];
  const machines = nodes.flatMap(addressesOfNode);
  const found = new Set<string>();
  for (const { port, nodePort, protocol = "TCP" } of spec.ports ?? []) {
    const name = protocol.toLowerCase();
    for (const address of own) found.add(`${name} ${address.toString()} ${port}`);
    if (nodePort === undefined) continue;
    for (const address of machines) found.add(`${name} ${address.toString()} ${nodePort}`);
  }
  return found;
}

function sumOf(flows: readonly Flow[]): number | undefined {
  const counted = flows.flatMap(({ bytes }) => bytes ?? []);
  if (counted.length === 0) return undefined;
  return counted.reduce((sum, bytes) => sum + bytes, 0);
}

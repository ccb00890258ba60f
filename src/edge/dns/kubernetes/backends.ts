// The backends of a headless service: from its EndpointSlices, or from its Endpoints where there are none.

import { isCounted } from "../../../api/kinds/discovery.ts";
import type { Endpoints, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";

/** A backend under one name: its addresses are those of one pod when they share a hostname. */
export interface Backend {
  /** The pod's hostname; without one, each address makes a name of its own. */
  readonly hostname: string | undefined;
  readonly addresses: readonly Address[];
  readonly ports: readonly BackendPort[];
}

export interface BackendPort {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

/** The objects that a service's records are made of. */
export interface BackendObjects {
  readonly slices: readonly EndpointSlice[];
  readonly endpoints: Endpoints | undefined;
}

export function backendsOf(service: Service, objects: BackendObjects): Backend[] {
  const slices = objects.slices.filter((slice) => isCounted(slice, service));
  const found =
    slices.length > 0 ? fromSlices(service, slices) : fromEndpoints(service, objects.endpoints);
  const isAllowed = allowed[service.spec.endpointFamily ?? ""] ?? (() => true);
  return found
    .map((backend) => ({
      ...backend,
      addresses: backend.addresses.filter(({ family }) => isAllowed(family)),
    }))
    .filter(({ addresses }) => addresses.length > 0);
}

const allowed: Readonly<Record<string, (family: Family) => boolean>> = {
  ipv4: (family) => family === "IPv4",
  ipv6: (family) => family === "IPv6",
};

function fromSlices(service: Service, slices: readonly EndpointSlice[]): Backend[] {
  return slices.flatMap(({ endpoints = [], ports = [] }) =>
    endpoints
      .filter(
        ({ conditions }) =>
          conditions?.ready !== false || service.spec.publishNotReadyAddresses === true,
      )
      .map(({ hostname, addresses }) => ({
        hostname: labelOf(hostname),
        addresses: parse(addresses),
        ports: ports.flatMap(({ name = "", protocol = "TCP", port }) =>
          port === undefined ? [] : [{ name, protocol, port }],
        ),
      })),
  );
}

function fromEndpoints(service: Service, endpoints: Endpoints | undefined): Backend[] {
  return (endpoints?.subsets ?? []).flatMap(
    ({ addresses = [], notReadyAddresses = [], ports = [] }) => {
      const isUnreadyWanted = service.spec.publishNotReadyAddresses === true;
      return [...addresses, ...(isUnreadyWanted ? notReadyAddresses : [])].map(
        ({ hostname, ip, ips = [ip] }) => ({
          hostname: labelOf(hostname),
          addresses: parse(ips),
          ports: ports.map(({ name = "", protocol = "TCP", port }) => ({ name, protocol, port })),
        }),
      );
    },
  );
}

function labelOf(hostname: string | undefined): string | undefined {
  return hostname === undefined || hostname === "" ? undefined : hostname.toLowerCase();
}

/** Parses addresses; slices may also contain host names, which have no records here. */
function parse(texts: readonly string[]): Address[] {
  return texts.map(Address.tryParse).filter((address) => address !== undefined);
}

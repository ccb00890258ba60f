// The names and addresses a node's serving certificate may hold: its own, and nobody else's.

import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { ServiceCIDR } from "../../../api/types/networking.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { ServerNames } from "./authority.ts";
import { announcerSuffix } from "./node-access.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";

/** The names of the API server. */
export interface ServerIdentity extends ServerNames {
  /** The host name of its machine, which may be a node too. */
  readonly hostName: string;
}

export interface NamesAsked {
  readonly nodeName: string;
  readonly wanted: ServerNames;
}

export interface NamesGiven {
  readonly names: ServerNames;
  /** The reason why there is no certificate at all. */
  readonly refusal?: string;
}

/**
 * Returns the names for a node's serving certificate. A node on the API server's own machine has its
 * addresses and host name; they are left out, since a certificate with them would let the node pass for the
 * server. The server itself identifies nodes by the subject of their certificates.
 */
export function servingNames(
  { nodeName, wanted }: NamesAsked,
  { objects, server }: { readonly objects: ObjectReader; readonly server: ServerIdentity },
): NamesGiven {
  const isServers = serverAddresses(objects, server);
  const names = {
    dnsNames: wanted.dnsNames.filter(
      (name) => name.toLowerCase() !== server.hostName.toLowerCase(),
    ),
    addresses: wanted.addresses.filter((address) => !isServers.has(address)),
  };
  const refusal =
    nameRefusal(nodeName, names.dnsNames, server) ??
    names.addresses
      .map((address) => holderOf(Address.parse(address), { nodeName, objects }))
      .find((holder) => holder !== undefined);
  return { names, ...defined({ refusal }) };
}

function nameRefusal(
  nodeName: string,
  dnsNames: readonly string[],
  server: ServerIdentity,
): string | undefined {
  const taken = server.dnsNames.filter((name) => name !== server.hostName);
  const servers = [nodeName, ...dnsNames].find((name) => taken.includes(name.toLowerCase()));
  if (servers !== undefined) return `${servers} is a name of the API server`;
  const reserved = [nodeName, ...dnsNames].find(isReserved);
  if (reserved !== undefined)
    return `${reserved} is a name of services or of another node's leases`;
  const other = dnsNames.find((name) => name !== nodeName);
  return other && `${other} is not the node's name`;
}

/** Returns whether a name belongs to services, or to the leases of another node. */
function isReserved(name: string): boolean {
  return /(?:^|\.)svc(?:\.|$)|\.cluster\.local$/.test(name) || name.endsWith(announcerSuffix);
}

/** Returns the addresses of all API servers of the cluster, which they publish in one EndpointSlice. */
function serverAddresses(objects: ObjectReader, server: ServerIdentity): ReadonlySet<string> {
  const known = new Set(server.addresses);
  const slice = objects.get("endpointslices", "default", "kubernetes") as EndpointSlice | undefined;
  for (const { addresses } of slice?.endpoints ?? []) {
    for (const address of addresses) known.add(Address.tryParse(address)?.toString() ?? address);
  }
  return known;
}

function holderOf(
  address: Address,
  { nodeName, objects }: { nodeName: string; objects: ObjectReader },
): string | undefined {
  const holds = (texts: Iterable<string | undefined>) => includes(texts, address);
  for (const { spec } of objects.list("servicecidrs") as Iterable<ServiceCIDR>) {
    if (lies(spec?.cidrs ?? [], address)) return `${String(address)} is an address of services`;
  }
  for (const service of objects.list("services") as Iterable<Service>) {
    if (holds(serviceAddresses(service))) {
      const { namespace, name } = service.metadata;
      return `${String(address)} is an address of the service ${namespace}/${name}`;
    }
  }
  for (const infrastructure of objects.list("config.openshift.io/infrastructures")) {
    if (holds(virtualAddresses(infrastructure))) return `${String(address)} is a virtual address`;
  }
  for (const { metadata, spec, status } of objects.list("nodes") as Iterable<Node>) {
    if (metadata.name === nodeName) continue;
    const own = (status?.addresses ?? []).map((each) => each.address);
    if (holds(own) || lies(spec.podCIDRs ?? [], address)) {
      return `${String(address)} is an address of the node ${metadata.name}`;
    }
  }
  return undefined;
}

function serviceAddresses({ spec, status }: Service): (string | undefined)[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [...(spec.externalIPs ?? []), spec.loadBalancerIP, ...ingress.map(({ ip }) => ip)];
}

/** Returns the virtual addresses of the API and the ingress, from the status of every platform. */
function virtualAddresses(infrastructure: SecurityObject): string[] {
  const { status } = infrastructure as {
    readonly status?: { readonly platformStatus?: Readonly<Record<string, unknown>> };
  };
  return Object.values(status?.platformStatus ?? {}).flatMap((platform) => {
    const { apiServerInternalIPs = [], ingressIPs = [] } = (platform ?? {}) as {
      readonly apiServerInternalIPs?: readonly string[];
      readonly ingressIPs?: readonly string[];
    };
    return [...apiServerInternalIPs, ...ingressIPs];
  });
}

function includes(texts: Iterable<string | undefined>, address: Address): boolean {
  for (const text of texts) {
    if (text !== undefined && Address.tryParse(text)?.equals(address) === true) return true;
  }
  return false;
}

function lies(cidrs: readonly string[], address: Address): boolean {
  return cidrs.some((cidr) => Prefix.tryParse(cidr)?.contains(address) === true);
}

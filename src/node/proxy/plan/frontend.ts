// What a plan is made of: places that services are reached at, and where each of them leads. There is
// one plan per family; nothing in here is of both.

import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

export const protocols = ["tcp", "udp", "sctp"] as const;

export type Protocol = (typeof protocols)[number];

/** A backend's address of this family, and its port. */
export interface Endpoint {
  /** In its one text form. */
  readonly address: string;
  readonly port: number;
  /** Whether it runs on this node. */
  readonly isLocal: boolean;
}

/** Endpoints, each in a place that it keeps for as long as possible. */
export type Pool = readonly Endpoint[];

/** Whose source address becomes the node's, so that the answers come back this way. */
export type Masquerade = "everyone" | "everyone-but-pods" | "this-node" | "nobody";

/** In the order of precedence, should two services claim the same place. */
export const frontendKinds = ["ClusterIP", "LoadBalancer", "ExternalIP", "NodePort"] as const;

/** One place a service is reached at: an address and a port, or a port of this node. */
export interface Frontend {
  /** The service and its port, for people: `shop/web:http`. */
  readonly owner: string;
  readonly kind: (typeof frontendKinds)[number];
  /** Of a node port: none, since it is reached at several. */
  readonly address: string | undefined;
  readonly protocol: Protocol;
  readonly port: number;
  readonly pool: Pool;
  /** Instead of the pool, for clients that are neither pods nor this node. */
  readonly outsiders: Pool | undefined;
  /** Of datagrams: endpoints that keep the flows they have, whether or not they get new ones. */
  readonly keepers: readonly Endpoint[];
  /** What clients get whose pool is empty. */
  readonly whenEmpty: "reject" | "drop";
  readonly masquerade: Masquerade;
  /** Whose packets are let in; the others' are dropped. Not given: everyone's. */
  readonly allowedSources: readonly Prefix[] | undefined;
  /** How long a client is led to the same endpoint as before. */
  readonly affinitySeconds: number | undefined;
}

/** What a plan needs to know of the node, per family. */
export interface FamilySettings {
  readonly family: Family;
  /** Where pods have their addresses, if known. */
  readonly podPrefix: Prefix | undefined;
  /** Node ports are served at those addresses of the node that lie in these. */
  readonly nodePortPrefixes: readonly Prefix[];
  /** Also at loopback addresses within them. */
  readonly servesLoopback: boolean;
  /** Masquerade what goes to a cluster IP, even from pods. */
  readonly masqueradeAll: boolean;
}

export function frontendKey(place: Pick<Frontend, "address" | "protocol" | "port">): string {
  return `${place.address ?? "*"} ${place.protocol} ${place.port}`;
}

export function endpointText({ address, port }: Pick<Endpoint, "address" | "port">): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

export function sameFrontend(one: Frontend, other: Frontend): boolean {
  return (
    one.owner === other.owner &&
    one.kind === other.kind &&
    one.whenEmpty === other.whenEmpty &&
    one.masquerade === other.masquerade &&
    one.affinitySeconds === other.affinitySeconds &&
    samePool(one.pool, other.pool) &&
    samePool(one.outsiders, other.outsiders) &&
    samePool(one.keepers, other.keepers) &&
    String(one.allowedSources) === String(other.allowedSources)
  );
}

export function samePool(one: Pool | undefined, other: Pool | undefined): boolean {
  if (one === other) return true;
  if (one?.length !== other?.length) return false;
  return (one ?? []).every((endpoint, place) => sameEndpoint(endpoint, other?.[place]));
}

export function sameEndpoint(one: Endpoint, other: Endpoint | undefined): boolean {
  return one.address === other?.address && one.port === other.port && one.isLocal === other.isLocal;
}

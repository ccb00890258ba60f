// Frontends, at which services are reached, and the endpoints they lead to. There is one plan per family;
// nothing here is about both.

import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

export const protocols = ["tcp", "udp", "sctp"] as const;

export type Protocol = (typeof protocols)[number];

/** A backend's address of this family, and its port. */
export interface Endpoint {
  /** The address in canonical text form. */
  readonly address: string;
  readonly port: number;
  /** Whether the endpoint runs on this node. */
  readonly isLocal: boolean;
}

/** A pool of endpoints, each of which keeps its position for as long as possible. */
export type Pool = readonly Endpoint[];

/**
 * The clients whose packets are masqueraded: they get the node's source address, so that replies come
 * back through it.
 */
export type Masquerade = "everyone" | "everyone-but-pods" | "this-node" | "nobody";

/** The kinds of frontends, in order of precedence should two services claim the same address and port. */
export const frontendKinds = ["ClusterIP", "LoadBalancer", "ExternalIP", "NodePort"] as const;

/** One place at which a service is reached: an address and a port, or a port of this node. */
export interface Frontend {
  /** The service and its port, shown to people: `shop/web:http`. */
  readonly owner: string;
  readonly kind: (typeof frontendKinds)[number];
  /** The address of the frontend; a node port has none, since it is reached at several. */
  readonly address: string | undefined;
  readonly protocol: Protocol;
  readonly port: number;
  readonly pool: Pool;
  /** The pool for outside clients, those that are neither pods nor this node; `pool` when not given. */
  readonly outsiders: Pool | undefined;
  /** The endpoints that keep the UDP flows they have, whether or not they get new ones. */
  readonly keepers: readonly Endpoint[];
  /** The fate of packets from clients whose pool is empty. */
  readonly whenEmpty: "reject" | "drop";
  readonly masquerade: Masquerade;
  /** The sources that are let in; packets of others are dropped. Not given: every source. */
  readonly allowedSources: readonly Prefix[] | undefined;
  /** The time for which a client keeps its endpoint; session affinity is off when not given. */
  readonly affinitySeconds: number | undefined;
}

/** The settings of the node that a plan depends on, per family. */
export interface FamilySettings {
  readonly family: Family;
  /** The prefix of pod addresses, if known. */
  readonly podPrefix: Prefix | undefined;
  /** The prefixes of node addresses at which node ports are served. */
  readonly nodePortPrefixes: readonly Prefix[];
  /** Whether node ports are also served at loopback addresses within these prefixes. */
  readonly servesLoopback: boolean;
  /** Whether traffic to cluster IPs is masqueraded even when it comes from pods. */
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

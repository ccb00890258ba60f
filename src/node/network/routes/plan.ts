// Plans the routes to other nodes' pods: a pure function of the nodes and of the links they share.
import type { LinkAddress } from "../../../base/host/ip.ts";
import type { Address } from "../../../base/net/address.ts";
import { bitsOf } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { NodePlace } from "../../status/status.ts";
import type { Peer } from "./peer.ts";
import {
  gatewayFor,
  type Tunnel,
  type TunnelEnd,
  tunnelLink,
  tunnelMac,
  tunnelMtu,
} from "./tunnel.ts";

export type RouteMode = "direct" | "vxlan" | "auto" | "none";

export interface WantedRoute {
  readonly destination: Prefix;
  /** The gateway, of either family. */
  readonly gateway: Address;
  readonly link: string;
}

export interface RoutePlan {
  readonly routes: readonly WantedRoute[];
  /**
   * The routes for packets from pods alone, to the other nodes themselves, which also use the tunnel: the
   * network between nodes need not carry packets from pods. Packets of nodes, the tunnel's own among them,
   * are routed as before.
   */
  readonly podRoutes: readonly WantedRoute[];
  /** The sources of these packets: the pod CIDRs of this node. */
  readonly podSources: readonly Prefix[];
  readonly tunnels: readonly Tunnel[];
  /** The destinations that cannot be reached, and why. */
  readonly problems: readonly string[];
}

export interface Surroundings {
  readonly name: string;
  readonly mode: RouteMode;
  readonly places: readonly NodePlace[];
  readonly podCidrs: readonly Prefix[];
  /** All addresses of this node. */
  readonly ownAddresses: readonly LinkAddress[];
}

export function planRoutes(peers: readonly Peer[], own: Surroundings): RoutePlan {
  const routes: WantedRoute[] = [];
  const podRoutes: WantedRoute[] = [];
  const ends = new Map<NodePlace, TunnelEnd[]>();
  const problems: string[] = [];
  const others = own.mode === "none" ? [] : peers.filter(({ name }) => name !== own.name);
  for (const peer of others.toSorted(byName)) {
    for (const destination of peer.podCidrs) {
      const direct = own.mode === "vxlan" ? undefined : directRoute(peer, destination, own);
      const isTunnelled = direct === undefined && own.mode !== "direct";
      const found = isTunnelled ? tunnelRoute(peer, destination, { own, ends }) : direct;
      if (found !== undefined) routes.push(found);
      else if (peer.addresses.length > 0) problems.push(unreachable(peer, destination, own));
      if (isTunnelled && found !== undefined) podRoutes.push(...hostRoutes(peer, found));
    }
  }
  const tunnels = [...ends].map(([place, all]) => tunnelOf(place, all, own));
  const podSources = own.podCidrs.filter(({ family }) =>
    podRoutes.some((route) => route.destination.family === family),
  );
  return { routes, podRoutes, podSources, tunnels, problems };
}

/**
 * Returns a direct route, by a gateway of the same family if there is one; IPv4 may also use an IPv6 gateway.
 */
function directRoute(
  { addresses }: Peer,
  destination: Prefix,
  { places, ownAddresses }: Surroundings,
): WantedRoute | undefined {
  const candidates = [
    ...addresses.filter(({ family }) => family === destination.family),
    ...addresses.filter(({ family }) => family === "IPv6" && destination.family === "IPv4"),
  ];
  for (const gateway of candidates) {
    const shared = ownAddresses.find(
      ({ prefix, link }) => prefix.contains(gateway) && places.some((place) => place.link === link),
    );
    if (shared !== undefined) return { destination, gateway, link: shared.link };
  }
  return undefined;
}

function tunnelRoute(
  peer: Peer,
  destination: Prefix,
  { own, ends }: { own: Surroundings; ends: Map<NodePlace, TunnelEnd[]> },
): WantedRoute | undefined {
  for (const place of own.places) {
    const { family } = place.address;
    const remote = peer.addresses.find((address) => address.family === family);
    if (remote === undefined) continue;
    const mac = tunnelMac(peer.name, family);
    const gateway = gatewayFor(mac);
    const known = ends.get(place) ?? [];
    if (!known.some((end) => end.mac === mac)) known.push({ mac, gateway, remote });
    ends.set(place, known);
    return { destination, gateway, link: tunnelLink(family) };
  }
  return undefined;
}

/** Returns routes to a node's addresses of the family of a route to its pods. */
function hostRoutes({ addresses }: Peer, way: WantedRoute): readonly WantedRoute[] {
  const { family } = way.destination;
  const own = addresses.filter((address) => address.family === family);
  return own.map((address) => ({ ...way, destination: Prefix.of(address, bitsOf(family)) }));
}

function tunnelOf(
  place: NodePlace,
  ends: readonly TunnelEnd[],
  { name, podCidrs }: Surroundings,
): Tunnel {
  const { family } = place.address;
  return {
    link: tunnelLink(family),
    mac: tunnelMac(name, family),
    mtu: tunnelMtu(place),
    local: place.address,
    // The node's address in the tunnel is the gateway of its pods. The address before it is the subnet-router
    // anycast address in IPv6, which may not be a source address.
    addresses: podCidrs.map((cidr) => Prefix.of(cidr.at(1n), bitsOf(cidr.family))),
    ends,
  };
}

function unreachable(peer: Peer, destination: Prefix, { mode, places }: Surroundings): string {
  const theirs = peer.addresses.join(", ");
  const ours = places.map(({ address }) => address).join(", ");
  const why =
    mode === "direct"
      ? "no link is shared; --route vxlan or auto needs none"
      : "they have no family in common";
  return `Cannot reach ${destination} of node ${peer.name} (${theirs}) from ${ours}: ${why}`;
}

function byName(one: Peer, other: Peer): number {
  return one.name < other.name ? -1 : 1;
}

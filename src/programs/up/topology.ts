// The topology of a cluster: every machine is a network namespace, on one LAN behind a router, and there
// is a host outside of it.
//
//   server   node-1 … node-N        outside
//      └──────┴──lan──┴──── router ────┘
//
// In place of the one server there may be control planes, which are nodes as well.

import { namespaceName } from "../../base/host/netns-name.ts";
import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { firstNodeOffset } from "../../install/ranges/ranges.ts";
import { type ClusterSettings, familiesOf } from "./settings.ts";
import { firstServerOffset, isHighlyAvailable } from "./virtual-addresses.ts";

export interface ClusterHost {
  /** The host's name, which is also the name of its port on the router. */
  readonly name: string;
  /** The name of the host's network namespace. */
  readonly namespace: string;
  readonly addresses: readonly HostAddress[];
}

export interface HostAddress {
  readonly address: Address;
  readonly prefix: Prefix;
  readonly gateway: Address;
}

export interface Topology {
  /** The hosts with an API server. */
  readonly servers: readonly [ClusterHost, ...ClusterHost[]];
  /** The hosts with pods: several control planes are among them. */
  readonly nodes: readonly ClusterHost[];
  readonly outside: ClusterHost;
}

/**
 * The networks of the host outside, reserved for documentation, so that no real host is reached by mistake.
 */
export const outsideCidrs: Readonly<Record<Family, Prefix>> = {
  IPv4: Prefix.parse("203.0.113.0/24"),
  IPv6: Prefix.parse("2001:db8:113::/64"),
};

export function topologyOf(settings: ClusterSettings): Topology {
  const families = familiesOf(settings);
  const lan = families.flatMap(
    (family) => settings.nodeCidr.find((prefix) => prefix.family === family) ?? [],
  );
  const host = (name: string, networks: readonly Prefix[], offset: bigint): ClusterHost => ({
    name,
    namespace: namespaceName(settings.name, name),
    addresses: networks.map((prefix) => ({
      address: prefix.at(offset),
      prefix,
      gateway: prefix.at(gatewayOffset),
    })),
  });
  const row = (name: string, count: number, offset: bigint): ClusterHost[] =>
    Array.from({ length: count }, (_, index) =>
      host(`${name}-${index + 1}`, lan, offset + BigInt(index)),
    );
  const several = isHighlyAvailable(settings);
  const [first, ...further] = several
    ? row("control-plane", settings.controlPlanes, firstServerOffset)
    : [];
  const servers: Topology["servers"] =
    first === undefined
      ? [advertising(host("server", lan, firstServerOffset), settings)]
      : [first, ...further];
  return {
    servers,
    nodes: [...(several ? servers : []), ...row("node", settings.nodes, firstNodeOffset)],
    outside: host(
      "outside",
      families.map((family) => outsideCidrs[family]),
      outsideOffset,
    ),
  };
}

/** Lists all hosts on the LAN. */
export function lanHosts({ servers, nodes }: Topology): readonly ClusterHost[] {
  return [...new Set([...servers, ...nodes])];
}

function advertising(server: ClusterHost, { advertise }: ClusterSettings): ClusterHost {
  const addresses = server.addresses.map((each) => ({
    ...each,
    address: advertise.find((address) => each.prefix.contains(address)) ?? each.address,
  }));
  return { ...server, addresses };
}

/** Lines for `ip -batch` on the router: a bridge for the LAN, a veth pair to each host, gateways. */
export function routerLines(topology: Topology): string[] {
  const { servers, outside } = topology;
  const hosts = lanHosts(topology);
  return [
    "link set lo up",
    "link add lan type bridge mcast_snooping 0",
    ...hosts.flatMap((host) => [...cable(host), `link set ${host.name} master lan`]),
    ...cable(outside),
    ...gatewaysOf(servers[0], "lan"),
    ...gatewaysOf(outside, outside.name),
    "link set lan up",
    ...[...hosts, outside].map(({ name }) => `link set ${name} up`),
  ];
}

/** Lines for `ip -batch` inside of a host. */
export function hostLines({ addresses }: ClusterHost): string[] {
  return [
    "link set lo up",
    ...addresses.map(
      ({ address, prefix }) => `address add ${address}/${prefix.length} dev eth0 nodad`,
    ),
    "link set eth0 up",
    ...addresses.map(({ gateway }) => `route add default via ${gateway} dev eth0`),
  ];
}

/** Addresses skip duplicate address detection: on links of our own nobody else can hold them. */
const linkSettings = {
  "net/ipv6/conf/default/accept_dad": 0,
  "net/ipv6/conf/all/accept_dad": 0,
  "net/ipv6/conf/default/accept_ra": 0,
} as const;

export const hostSettings = { ...linkSettings, "net/ipv6/conf/eth0/accept_dad": 0 } as const;

export const routerSettings = {
  ...linkSettings,
  "net/ipv4/ip_forward": 1,
  "net/ipv6/conf/all/forwarding": 1,
} as const;

const gatewayOffset = 1n;
const outsideOffset = 10n;

function cable({ name, namespace }: ClusterHost): string[] {
  return [`link add ${name} type veth peer name eth0 netns ${namespace}`];
}

function gatewaysOf({ addresses }: ClusterHost, link: string): string[] {
  return addresses.map(
    ({ gateway, prefix }) => `address add ${gateway}/${prefix.length} dev ${link} nodad`,
  );
}

// Computes the changes from the kernel's present routes to the wanted ones, as lines for ip(8) and bridge(8).
// Only routes with our own protocol number and devices with our own names are touched.
import type { Link, Neighbour, Route } from "../../../base/host/ip.ts";
import type { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { RoutePlan, WantedRoute } from "./plan.ts";
import { type Tunnel, tunnelId, tunnelPort } from "./tunnel.ts";

export interface Present {
  /** The routes of all protocols. */
  readonly routes: readonly Route[];
  /** The routes in the table for packets from pods. */
  readonly podRoutes: readonly Route[];
  /** The sources whose packets are looked up in that table. */
  readonly podSources: readonly Prefix[];
  readonly links: readonly Link[];
  readonly tunnels: readonly PresentTunnel[];
  readonly neighbours: readonly Neighbour[];
  readonly forwarding: readonly ForwardingEntry[];
}

export interface PresentTunnel {
  readonly link: string;
  readonly local: string;
  /** The addresses of the device, without the kernel's link-local ones. */
  readonly addresses: readonly Address[];
}

/** An entry of the forwarding database: the destination of frames for a MAC address. */
export interface ForwardingEntry {
  readonly link: string;
  readonly mac: string;
  readonly remote: string;
}

/** The changes in the order in which they are made. */
export interface RouteChanges {
  readonly links: readonly string[];
  readonly forwarding: readonly string[];
  readonly routes: readonly string[];
  readonly rules: Readonly<Record<Family, readonly string[]>>;
}

export const routeProtocol = "84";
/** The number of the routing table for packets from pods. */
export const podTable = "84";
/** The priority of our rules, before those for all packets. */
export const rulePriority = "8400";
const ownLink = /^tandem\.ipv[46]$/;

export function routeChanges(plan: RoutePlan, present: Present): RouteChanges {
  const made = plan.tunnels.flatMap((tunnel) => tunnelLines(tunnel, present));
  const unused = present.links
    .filter(({ name }) => ownLink.test(name))
    .filter(({ name }) => !plan.tunnels.some(({ link }) => link === name));
  return {
    links: [...unused.map(({ name }) => `link delete ${name}`), ...made],
    forwarding: plan.tunnels.flatMap((tunnel) => forwardingLines(tunnel, present)),
    routes: [
      ...plan.tunnels.flatMap((tunnel) => neighbourLines(tunnel, present)),
      ...routeLines(plan.routes, stillThere(present.routes, unused), own),
      ...routeLines(
        plan.podRoutes,
        stillThere(present.podRoutes, unused),
        `${own} table ${podTable}`,
      ),
    ],
    rules: { IPv4: ruleLines("IPv4", plan, present), IPv6: ruleLines("IPv6", plan, present) },
  };
}

const own = `proto ${routeProtocol}`;

/** Returns the routes that are left: the kernel removes those of a deleted device. */
function stillThere(routes: readonly Route[], gone: readonly Link[]): readonly Route[] {
  return routes.filter(({ nextHops }) =>
    nextHops.every(({ link }) => !gone.some(({ name }) => name === link)),
  );
}

function ruleLines(
  family: Family,
  { podSources: wanted }: RoutePlan,
  { podSources: there }: Present,
): readonly string[] {
  const line = (verb: string, source: Prefix) =>
    `rule ${verb} from ${source} lookup ${podTable} priority ${rulePriority}`;
  const without = (some: readonly Prefix[], others: readonly Prefix[]) =>
    some.filter((one) => one.family === family && !others.some((other) => other.equals(one)));
  return [
    ...without(there, wanted).map((source) => line("del", source)),
    ...without(wanted, there).map((source) => line("add", source)),
  ];
}

/** Returns the lines for a tunnel. A device's underlay address cannot be changed, so it is created anew. */
function tunnelLines({ link, mac, mtu, local, addresses }: Tunnel, present: Present): string[] {
  const found = present.links.find(({ name }) => name === link);
  const tunnel = present.tunnels.find((one) => one.link === link);
  const isRight = found?.mac === mac && tunnel?.local === local.toString();
  const there = isRight ? (tunnel?.addresses ?? []) : [];
  const missing = addresses.filter(({ first }) => !there.some((one) => one.equals(first)));
  const stale = there.filter((one) => !addresses.some(({ first }) => first.equals(one)));
  if (isRight && found.mtu === mtu && found.up && missing.length + stale.length === 0) return [];
  return [
    ...(found !== undefined && !isRight ? [`link delete ${link}`] : []),
    ...(isRight
      ? []
      : [
          `link add ${link} address ${mac} type vxlan id ${tunnelId} local ${local} dstport ${tunnelPort} nolearning`,
        ]),
    `link set ${link} mtu ${mtu} up`,
    ...stale.map((address) => `address del ${address}/${bitsOf(address.family)} dev ${link}`),
    ...missing.map(
      (address) =>
        `address replace ${address} dev ${link}${address.family === "IPv6" ? " nodad" : ""}`,
    ),
  ];
}

function forwardingLines({ link, ends }: Tunnel, { forwarding }: Present): string[] {
  const there = forwarding.filter((entry) => entry.link === link);
  const isThere = (mac: string, remote: string) =>
    there.some((entry) => entry.mac === mac && entry.remote === remote);
  const stale = there.filter(({ mac }) => !ends.some((end) => end.mac === mac));
  return [
    ...stale.map(({ mac, remote }) => `fdb del ${mac} dev ${link} dst ${remote} self`),
    ...ends
      .filter(({ mac, remote }) => !isThere(mac, remote.toString()))
      .map(({ mac, remote }) => `fdb replace ${mac} dev ${link} dst ${remote} self permanent`),
  ];
}

function neighbourLines({ link, ends }: Tunnel, { neighbours }: Present): string[] {
  const there = neighbours.filter((one) => one.link === link && one.state === "PERMANENT");
  const stale = there.filter(({ mac }) => !ends.some((end) => end.mac === mac));
  const missing = ends.filter(({ mac }) => !there.some((one) => one.mac === mac));
  return [
    ...stale.map(({ address }) => `neighbour del ${address} dev ${link}`),
    ...missing.map(
      ({ gateway, mac }) => `neighbour replace ${gateway} lladdr ${mac} dev ${link} nud permanent`,
    ),
  ];
}

/** Returns the lines for routes; `marks` are the words that mark a route as ours. */
function routeLines(
  wanted: readonly WantedRoute[],
  present: readonly Route[],
  marks: string,
): string[] {
  const ours = present.filter(({ protocol }) => protocol === routeProtocol);
  const stale = ours.filter(
    ({ destination }) => !wanted.some((route) => route.destination.equals(destination)),
  );
  const missing = wanted.filter((route) => !ours.some((one) => leadsThere(one, route)));
  return [
    ...stale.map(({ destination }) => `route del ${destination} ${marks}`),
    ...missing.map(
      ({ destination, gateway, link }) =>
        `route replace ${destination} via ${gateway.family === "IPv6" ? "inet6 " : ""}${gateway} dev ${link} ${marks}`,
    ),
  ];
}

function leadsThere({ destination, nextHops }: Route, wanted: WantedRoute): boolean {
  const [hop] = nextHops;
  return (
    destination.equals(wanted.destination) &&
    nextHops.length === 1 &&
    hop?.link === wanted.link &&
    hop.gateway?.equals(wanted.gateway) === true
  );
}

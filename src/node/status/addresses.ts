// Which addresses a node goes by: one of each family, its own and the same after every restart.
import type { Ip, LinkAddress, Route } from "../../base/host/ip.ts";
import type { Address } from "../../base/net/address.ts";
import { bitsOf, type Family, families } from "../../base/net/family.ts";

export interface NodePlace {
  readonly address: Address;
  /** Whose address it is. */
  readonly link: string;
  readonly mtu: number;
}

export interface AddressWishes {
  /** What the user says; they must be there. */
  readonly given: readonly Address[];
  /** What the node went by before. */
  readonly kept?: readonly Address[];
  /** Where the API server is: packets to it tell which address others know this machine by. */
  readonly servers?: readonly Address[];
}

/** Links that the agent and its plugins make themselves: what they hold are no addresses of the node. */
const ownLinks = /^(lo|cbr0|tandem\..*|docker.*|veth.*|cni.*)$/;

/**
 * Those given; without any, those of before as far as they are there, those that lead to the API server,
 * and those of the default routes' links, or any other. Never one that is announced for a service or a VIP.
 */
export async function findNodePlaces(
  ip: Ip,
  { given, kept = [], servers = [] }: AddressWishes,
): Promise<readonly NodePlace[]> {
  const links = await ip.links();
  const found: (LinkAddress | undefined)[] = [];
  const all = (await Promise.all(families.map((family) => ip.addresses(family)))).flat();
  if (given.length > 0) {
    for (const address of given) found.push(holderOf(address, all));
  } else {
    const usable = ownAddresses(all);
    const sources = await sourcesTo(ip, servers);
    const isAmong = (list: readonly Address[]) => (one: LinkAddress) =>
      list.some((address) => address.equals(one.address));
    const uplinks = usable.filter(isAmong(sources)).map(({ link }) => link);
    for (const family of families) {
      const ofFamily = usable.filter(({ address }) => address.family === family);
      found.push(
        ofFamily.find(isAmong(kept)) ??
          ofFamily.find(isAmong(sources)) ??
          chooseAddress(ofFamily, [...uplinks, ...defaultLinks(await ip.routes(family))]),
      );
    }
  }
  return found.flatMap((one) => {
    if (one === undefined) return [];
    const mtu = links.find(({ name }) => name === one.link)?.mtu ?? 1500;
    return [{ address: one.address, link: one.link, mtu }];
  });
}

/** Addresses that others reach this machine at, and nobody else: those for long come first. */
export function ownAddresses(all: readonly LinkAddress[]): LinkAddress[] {
  const usable = all.filter(
    (one) =>
      one.scope === "global" &&
      !one.duplicate &&
      !one.address.isLinkLocal &&
      !ownLinks.test(one.link) &&
      !isAnnounced(one, all),
  );
  const isPassing = ({ deprecated = false }: LinkAddress) => deprecated;
  return [...usable.filter((one) => !isPassing(one)), ...usable.filter(isPassing)];
}

/**
 * Addresses of load balancers, and those that keepalived holds, stand alone, beside an address with the
 * length of the network that they are in; most are not for connections of the machine's own, either.
 */
function isAnnounced(one: LinkAddress, all: readonly LinkAddress[]): boolean {
  const { address, prefix, link, deprecated = false } = one;
  if (prefix.length < bitsOf(address.family)) return false;
  return (
    deprecated ||
    all.some(
      (other) =>
        other.link === link &&
        other.prefix.length < bitsOf(other.address.family) &&
        other.prefix.contains(address),
    )
  );
}

async function sourcesTo(ip: Ip, servers: readonly Address[]): Promise<readonly Address[]> {
  const sources = await Promise.all(servers.map((server) => ip.sourceTo(server)));
  return sources.filter((source) => source !== undefined);
}

function chooseAddress(
  usable: readonly LinkAddress[],
  links: readonly string[],
): LinkAddress | undefined {
  for (const link of links) {
    const found = usable.find((one) => one.link === link);
    if (found !== undefined) return found;
  }
  return usable[0];
}

function defaultLinks(routes: readonly Route[]): string[] {
  return routes
    .filter(({ destination }) => destination.length === 0)
    .toSorted((one, other) => (one.metric ?? 0) - (other.metric ?? 0))
    .flatMap(({ nextHops }) => nextHops.flatMap(({ link }) => link ?? []));
}

function holderOf(address: Address, all: readonly LinkAddress[]): LinkAddress {
  const holder = all.find((one) => one.address.equals(address));
  if (holder !== undefined) return holder;
  const there = all.map((one) => one.address.toString()).join(", ");
  throw new Error(`Cannot use node IP ${address}: this machine has only ${there || "none"}`);
}

/** What is to be kept: a family that is not there at present may be there again. */
export function addressesToKeep(
  places: readonly NodePlace[],
  kept: readonly Address[],
): readonly Address[] {
  const found = places.map(({ address }) => address);
  const has = (family: Family) => found.some((address) => address.family === family);
  return [...found, ...kept.filter(({ family }) => !has(family))];
}

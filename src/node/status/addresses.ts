// Chooses the addresses of a node: one of each family, its own, and the same after every restart.
import type { Ip, LinkAddress, Route } from "../../base/host/ip.ts";
import type { Address } from "../../base/net/address.ts";
import { bitsOf, type Family, families } from "../../base/net/family.ts";

export interface NodePlace {
  readonly address: Address;
  /** The link that has the address. */
  readonly link: string;
  readonly mtu: number;
}

export interface AddressWishes {
  /** The addresses that the user names; the machine must have them. */
  readonly given: readonly Address[];
  /** The addresses that the node had on its last start. */
  readonly kept?: readonly Address[];
  /** The addresses of the API server: the route to it tells by which address others know this machine. */
  readonly servers?: readonly Address[];
}

/** The links that the agent and its plugins create; their addresses are not the node's. */
const ownLinks = /^(lo|cbr0|tandem\..*|docker.*|veth.*|cni.*)$/;

/**
 * Returns the given addresses; without any, the previous ones as far as they are present, those of the route
 * to the API server, and those of the default routes' links, or any other. Never one that is announced for a
 * service or as a virtual address.
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

/** Lists the addresses at which others reach this machine alone, permanent ones first. */
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
 * Whether an address is announced: those of load balancers and of keepalived have the full prefix length,
 * beside an address with the length of its network; most are also deprecated, so that the machine's own
 * connections do not use them.
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

/**
 * Returns the addresses to keep, including those of a family that is missing at present, since it may come
 * back.
 */
export function addressesToKeep(
  places: readonly NodePlace[],
  kept: readonly Address[],
): readonly Address[] {
  const found = places.map(({ address }) => address);
  const has = (family: Family) => found.some((address) => address.family === family);
  return [...found, ...kept.filter(({ family }) => !has(family))];
}

// Which addresses a node goes by: one of each family.
import type { Ip, LinkAddress, Route } from "../../base/host/ip.ts";
import type { Address } from "../../base/net/address.ts";
import { families } from "../../base/net/family.ts";

export interface NodePlace {
  readonly address: Address;
  /** Whose address it is. */
  readonly link: string;
  readonly mtu: number;
}

/** Links that the agent and its plugins make themselves: what they hold are no addresses of the node. */
const ownLinks = /^(lo|cbr0|tandem\..*|docker.*|veth.*|cni.*)$/;

/** Those given, which must be there; without any, those of the default route's link, or any other. */
export async function findNodePlaces(
  ip: Ip,
  given: readonly Address[],
): Promise<readonly NodePlace[]> {
  const links = await ip.links();
  const found: (LinkAddress | undefined)[] = [];
  if (given.length > 0) {
    const all = (await Promise.all(families.map((family) => ip.addresses(family)))).flat();
    for (const address of given) found.push(holderOf(address, all));
  } else {
    for (const family of families) {
      found.push(chooseAddress(await ip.addresses(family), await ip.routes(family)));
    }
  }
  return found.flatMap((one) => {
    if (one === undefined) return [];
    const mtu = links.find(({ name }) => name === one.link)?.mtu ?? 1500;
    return [{ address: one.address, link: one.link, mtu }];
  });
}

/** The address of one family that others most likely reach this machine at. */
export function chooseAddress(
  addresses: readonly LinkAddress[],
  routes: readonly Route[],
): LinkAddress | undefined {
  const usable = addresses.filter(
    ({ address, duplicate, scope, link }) =>
      scope === "global" && !duplicate && !address.isLinkLocal && !ownLinks.test(link),
  );
  const defaults = routes
    .filter(({ destination }) => destination.length === 0)
    .toSorted((one, other) => (one.metric ?? 0) - (other.metric ?? 0));
  const uplinks = defaults.flatMap(({ nextHops }) => nextHops.map(({ link }) => link));
  for (const uplink of uplinks) {
    const found = usable.find(({ link }) => link === uplink);
    if (found !== undefined) return found;
  }
  return usable[0];
}

function holderOf(address: Address, all: readonly LinkAddress[]): LinkAddress {
  const holder = all.find((one) => one.address.equals(address));
  if (holder !== undefined) return holder;
  const there = all.map((one) => one.address.toString()).join(", ");
  throw new Error(`Cannot use node IP ${address}: this machine has only ${there || "none"}`);
}

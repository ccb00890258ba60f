import type { LinkAddress } from "../../../../base/host/ip.ts";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { NodePlace } from "../../../status/status.ts";
import type { Peer } from "../peer.ts";
import type { Surroundings } from "../plan.ts";

export function peer(
  name: string,
  addresses: readonly string[],
  podCidrs: readonly string[],
): Peer {
  return { name, addresses: addresses.map(Address.parse), podCidrs: podCidrs.map(Prefix.parse) };
}

/** Returns a node whose `eth0` has these addresses, given with their lengths. */
export function surroundings(
  addresses: readonly string[],
  options: Partial<Surroundings> = {},
): Surroundings {
  const ownAddresses = addresses.map(linkAddress);
  return {
    name: "self",
    mode: "direct",
    places: ownAddresses.map(({ address, link }): NodePlace => ({ address, link, mtu: 1500 })),
    podCidrs: ["10.244.0.0/24", "fd00:244::/64"].map(Prefix.parse),
    ownAddresses,
    ...options,
  };
}

function linkAddress(text: string): LinkAddress {
  const [address = ""] = text.split("/");
  return {
    link: "eth0",
    address: Address.parse(address),
    prefix: Prefix.parse(text),
    scope: "global",
    tentative: false,
    duplicate: false,
  };
}

// Masquerades packets that leave the cluster with the node's address, since nobody outside has a route to a
// pod. The rules are one table of our own, replaced as a whole.
import type { NftTable } from "../../../base/host/nft.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { NodePlace } from "../../status/status.ts";
import type { Peer } from "../routes/peer.ts";

export const masqueradeTable: NftTable = { family: "inet", name: "tandem-masquerade" };

export interface MasqueradeOptions {
  readonly peers: readonly Peer[];
  readonly places: readonly NodePlace[];
  /** The pod CIDRs of this node. */
  readonly podCidrs: readonly Prefix[];
  /** The further destinations for which pods are not masqueraded. */
  readonly exempt: readonly Prefix[];
}

/** Returns a script for nft(8). */
export function masqueradeScript(options: MasqueradeOptions): string {
  const { family, name } = masqueradeTable;
  const lines = families.flatMap((each) => familyLines(each, options));
  return [
    `add table ${family} ${name}`,
    `delete table ${family} ${name}`,
    `table ${family} ${name} {`,
    "  chain postrouting {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    ...lines.map((line) => `    ${line}`),
    "  }",
    "}",
    "",
  ].join("\n");
}

function familyLines(family: Family, options: MasqueradeOptions): string[] {
  const { places, podCidrs } = options;
  const own = podCidrs.filter((cidr) => cidr.family === family);
  if (own.length === 0) return [];
  const ip = family === "IPv4" ? "ip" : "ip6";
  const outgoing = `${ip} saddr { ${own.join(", ")} } ${ip} daddr != { ${insideOf(family, options).join(", ")} }`;
  // The node's address is named, since a link may have several addresses, of which others know the node by
  // one.
  const named = places
    .filter(({ address }) => address.family === family)
    .map(
      ({ address, link }) => `${outgoing} oifname "${link}" snat ${ip} to ${address} fully-random`,
    );
  return [...named, `${outgoing} masquerade fully-random`];
}

/**
 * Returns the destinations inside of the cluster in a fixed order, so that the same state makes the same
 * text.
 */
function insideOf(family: Family, { peers, podCidrs, exempt }: MasqueradeOptions): string[] {
  const multicast = family === "IPv4" ? "224.0.0.0/4" : "ff00::/8";
  const prefixes = [...peers.flatMap((peer) => peer.podCidrs), ...podCidrs, ...exempt];
  const addresses = peers.flatMap((peer) => peer.addresses);
  const texts = [...prefixes, ...addresses].filter((one) => one.family === family).map(String);
  return [...new Set([multicast, ...texts])].toSorted();
}

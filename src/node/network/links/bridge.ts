// The bridge of the node's pods is created before the first of them: an address that a plugin adds would be
// tentative for a second or two, and the first IPv6 packets would be lost.
import { createHash } from "node:crypto";
import type { Link } from "../../../base/host/ip.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

export const bridgeName = "cbr0";

interface BridgeOptions {
  readonly podCidrs: readonly Prefix[];
  readonly mtu: number;
  readonly links: readonly Link[];
}

/** Returns the lines for ip(8). Existing addresses stay as they are. */
export function bridgeLines({ podCidrs, mtu, links }: BridgeOptions): readonly string[] {
  const isThere = links.some(({ name }) => name === bridgeName);
  return [
    ...(isThere ? [] : [`link add ${bridgeName} address ${bridgeMac(podCidrs)} type bridge`]),
    `link set ${bridgeName} mtu ${mtu} up`,
    ...podCidrs.map((cidr) => {
      const detection = cidr.family === "IPv6" ? " nodad" : "";
      return `address replace ${gatewayOf(cidr)}/${cidr.length} dev ${bridgeName}${detection}`;
    }),
  ];
}

/** Returns the gateway of the pods in a range. */
export function gatewayOf(cidr: Prefix): string {
  return cidr.at(1n).toString();
}

/**
 * Returns a MAC address for the bridge; without one of its own it changes with every pod that comes and goes.
 */
function bridgeMac(podCidrs: readonly Prefix[]): string {
  const hash = createHash("sha256").update(podCidrs.join()).digest("hex");
  return `0a:58:${hash.slice(0, 8).replace(/..(?=.)/g, "$&:")}`;
}

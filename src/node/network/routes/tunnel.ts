// VXLAN devices: one for each underlay family. A peer's parameters follow from its name and address, so that
// nodes need not exchange anything.
import { createHash } from "node:crypto";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { NodePlace } from "../../status/status.ts";

export interface Tunnel {
  readonly link: string;
  readonly mac: string;
  readonly mtu: number;
  /** The node's address on the underlay. */
  readonly local: Address;
  /** The addresses by which pods at the other end know the node itself. */
  readonly addresses: readonly Prefix[];
  readonly ends: readonly TunnelEnd[];
}

/** A tunnel end: another node. */
export interface TunnelEnd {
  readonly mac: string;
  /** The gateway that routes name; no packet ever carries its address. */
  readonly gateway: Address;
  /** The other node's address on the underlay. */
  readonly remote: Address;
}

export const tunnelPort = 4789;
export const tunnelId = 84;

/** The smallest MTU of an IPv6 link. */
const leastMtu = 1280;
/** The bytes of the outer IP and UDP headers, VXLAN's own, and the inner Ethernet header. */
const overhead: Readonly<Record<Family, number>> = { IPv4: 20 + 8 + 8 + 14, IPv6: 40 + 8 + 8 + 14 };

export function tunnelLink(family: Family): string {
  return `tandem.${family.toLowerCase()}`;
}

export function tunnelMtu({ address, mtu }: NodePlace): number {
  return Math.max(leastMtu, mtu - overhead[address.family]);
}

/** Returns the MTU of pods, which fits all links and tunnels that their packets may take. */
export function podMtu(places: readonly NodePlace[], usesTunnels: boolean): number {
  const fitting = places.map((place) => (usesTunnels ? tunnelMtu(place) : place.mtu));
  return Math.max(leastMtu, Math.min(...fitting));
}

/** Returns a locally administered MAC address, the same on every node that computes it. */
export function tunnelMac(nodeName: string, family: Family): string {
  const hash = createHash("sha256").update(`${family} ${nodeName}`).digest();
  hash[0] = ((hash[0] ?? 0) & 0xfc) | 0x02;
  return [...hash.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/** Returns the link-local address that belongs to a MAC address: a gateway for both families. */
export function gatewayFor(mac: string): Address {
  const bytes = mac.split(":").map((part) => BigInt(`0x${part}`));
  const [first = 0n, second = 0n, third = 0n, ...rest] = bytes;
  const identifier = [first ^ 2n, second, third, 0xffn, 0xfen, ...rest];
  const low = identifier.reduce((value, byte) => (value << 8n) | byte, 0n);
  return Address.of("IPv6", (0xfe80n << 112n) | low);
}

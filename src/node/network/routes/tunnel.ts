// VXLAN devices: one for each family that carries others. Everything about a peer follows from its name
// and address, so that nodes need not tell each other anything.
import { createHash } from "node:crypto";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { NodePlace } from "../../status/status.ts";

export interface Tunnel {
  readonly link: string;
  readonly mac: string;
  readonly mtu: number;
  /** Of the node, on the underlay. */
  readonly local: Address;
  /** What the node itself is known by to pods at the other end. */
  readonly addresses: readonly Prefix[];
  readonly ends: readonly TunnelEnd[];
}

/** Another node at the other end. */
export interface TunnelEnd {
  readonly mac: string;
  /** What routes name it by: no packet ever bears it. */
  readonly gateway: Address;
  /** Of the other node, on the underlay. */
  readonly remote: Address;
}

export const tunnelPort = 4789;
export const tunnelId = 84;

/** No IPv6 link may carry less. */
const leastMtu = 1280;
/** Outer IP and UDP headers, VXLAN's own, and the inner Ethernet header. */
const overhead: Readonly<Record<Family, number>> = { IPv4: 20 + 8 + 8 + 14, IPv6: 40 + 8 + 8 + 14 };

export function tunnelLink(family: Family): string {
  return `tandem.${family.toLowerCase()}`;
}

export function tunnelMtu({ address, mtu }: NodePlace): number {
  return Math.max(leastMtu, mtu - overhead[address.family]);
}

/** What fits through whatever a pod's packets may take. */
export function podMtu(places: readonly NodePlace[], usesTunnels: boolean): number {
  const fitting = places.map((place) => (usesTunnels ? tunnelMtu(place) : place.mtu));
  return Math.max(leastMtu, Math.min(...fitting));
}

/** A locally administered address that is the same wherever it is worked out. */
export function tunnelMac(nodeName: string, family: Family): string {
  const hash = createHash("sha256").update(`${family} ${nodeName}`).digest();
  hash[0] = ((hash[0] ?? 0) & 0xfc) | 0x02;
  return [...hash.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/** The link-local address that belongs to a hardware address: a gateway for both families. */
export function gatewayFor(mac: string): Address {
  const bytes = mac.split(":").map((part) => BigInt(`0x${part}`));
  const [first = 0n, second = 0n, third = 0n, ...rest] = bytes;
  const identifier = [first ^ 2n, second, third, 0xffn, 0xfen, ...rest];
  const low = identifier.reduce((value, byte) => (value << 8n) | byte, 0n);
  return Address.of("IPv6", (0xfe80n << 112n) | low);
}

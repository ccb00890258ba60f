// How iptables spells things, and what our chains are called.

import { createHash } from "node:crypto";
import { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";

/** All our chains begin with this. A name has 28 characters at most. */
export const chainPrefix = "TANDEM-";

/**
 * Says that a packet is to be masqueraded, from where its destination is translated until it leaves.
 * Others' bits that we know of: 0x4000 and 0x8000 (kube-proxy), 0x2000 (the portmap plugin), 0x0f00 and
 * the upper 16 (Cilium), the upper 16 (Calico), 0xff0000 (Tailscale), 0xc0 (the AWS plugin), and those
 * of 0x539 (Istio), which leave 0x1000.
 */
export const masqueradeMark = "0x1000/0x1000";

export const setMark = `-j MARK --set-xmark ${masqueradeMark}`;

/** A name for something that belongs to a place, from what tells it apart. */
export function chainName(kind: string, ...parts: readonly string[]): string {
  return `${chainPrefix}${kind}-${shortHash(parts.join(" "))}`;
}

/** Of all addresses that end in the same byte, those of one bucket; two hexadecimal digits. */
export function bucketOf(address: string): string {
  return (Address.parse(address).value & 0xffn).toString(16).padStart(2, "0");
}

/** Matches destinations by bits of their last byte. */
export function lastByteMatch(
  family: Family,
  { byte, mask }: { readonly byte: number; readonly mask: number },
): string {
  const text = (value: number): string => Address.of(family, BigInt(value)).toString();
  return `-d ${text(byte)}/${text(mask)}`;
}

/** An address as a prefix of itself alone, which is how iptables prints it. */
export function host(address: string): string {
  return `${address}/${bitsOf(address.includes(":") ? "IPv6" : "IPv4")}`;
}

export const hexDigits = Array.from({ length: 16 }, (_, digit) => digit.toString(16));

/** Base 32 needs no care about letters and signs. */
function shortHash(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bytes = createHash("sha256").update(text).digest();
  return [...bytes.subarray(0, 15)].map((byte) => alphabet[byte & 31]).join("");
}

// The spelling of iptables rules, and the names of the proxy's chains.

import { createHash } from "node:crypto";
import { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";

/** The prefix of all chains of this proxy. A chain name has 28 characters at most. */
export const chainPrefix = "TANDEM-";

/**
 * The mark of packets to masquerade, set when the destination is translated and read when the packet
 * leaves. Bits that others are known to use: 0x4000 and 0x8000 (kube-proxy), 0x2000 (the portmap plugin),
 * 0x0f00 and the upper 16 (Cilium), the upper 16 (Calico), 0xff0000 (Tailscale), 0xc0 (the AWS plugin),
 * and those of 0x539 (Istio), which leave 0x1000.
 */
export const masqueradeMark = "0x1000/0x1000";

export const setMark = `-j MARK --set-xmark ${masqueradeMark}`;

/** Returns the name of a chain of one frontend, made of the parts that tell it apart. */
export function chainName(kind: string, ...parts: readonly string[]): string {
  return `${chainPrefix}${kind}-${shortHash(parts.join(" "))}`;
}

/** Returns the bucket of an address: its last byte as two hexadecimal digits. */
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

/** Writes an address as a prefix of full length, which is how iptables prints it. */
export function host(address: string): string {
  return `${address}/${bitsOf(address.includes(":") ? "IPv6" : "IPv4")}`;
}

export const hexDigits = Array.from({ length: 16 }, (_, digit) => digit.toString(16));

/** Hashes a text into base 32, which has neither case nor signs to care about. */
function shortHash(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bytes = createHash("sha256").update(text).digest();
  return [...bytes.subarray(0, 15)].map((byte) => alphabet[byte & 31]).join("");
}

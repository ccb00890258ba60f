// The nft keywords that differ between the families.

import type { NftTable } from "../../../base/host/nft.ts";
import { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";

export const tableName = "tandem-policy";

export function tableOf(family: Family, name = tableName): NftTable {
  return { family: family === "IPv4" ? "ip" : "ip6", name };
}

export interface Words {
  readonly ip: "ip" | "ip6";
  readonly addressType: "ipv4_addr" | "ipv6_addr";
}

export function wordsOf(family: Family): Words {
  return family === "IPv4"
    ? { ip: "ip", addressType: "ipv4_addr" }
    : { ip: "ip6", addressType: "ipv6_addr" };
}

/** Returns the nft expression of a packet's field, masked to a prefix length. */
export function masked(field: string, length: number, family: Family): string {
  if (length === bitsOf(family)) return field;
  const ones = Address.of(family, (1n << BigInt(bitsOf(family))) - 1n);
  return `(${field} & ${Prefix.of(ones, length).first.toString()})`;
}

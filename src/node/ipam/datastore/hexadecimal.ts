import { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";

/** Writes an address as text of fixed length, which sorts the way the numbers do. */
export function toHexadecimal(family: Family, value: bigint): string {
  return value.toString(16).padStart(bitsOf(family) / 4, "0");
}

export function fromHexadecimal(text: string): bigint {
  return BigInt(`0x${text}`);
}

export function addressFrom(text: string): Address {
  return Address.of(text.length === 8 ? "IPv4" : "IPv6", fromHexadecimal(text));
}

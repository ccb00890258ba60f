// Domain names made of addresses.

import { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";
import { labelsOf, type Name, nameOf, under } from "../wire/name.ts";

/** The address as a label: `10-244-1-5`, `fd00-10-20--5`. */
export function dashed(address: Address): string {
  return address.toString().replaceAll(/[.:]/g, "-");
}

/** The PTR name of an address, in in-addr.arpa or ip6.arpa. */
export function reverseName(address: Address): Name {
  const { apex, bits, radix } = reverse[address.family];
  const digits = bitsOf(address.family) / bits;
  const mask = (1n << BigInt(bits)) - 1n;
  let name = apex;
  for (let index = digits - 1; index >= 0; index--) {
    name = under(((address.value >> BigInt(index * bits)) & mask).toString(radix), name);
  }
  return name;
}

/** The address that a PTR name stands for. */
export function reverseAddress(name: Name): Address | undefined {
  for (const family of ["IPv4", "IPv6"] as const) {
    const { apex, bits, radix } = reverse[family];
    if (!name.endsWith(apex)) continue;
    const labels = labelsOf(name).slice(0, -2);
    if (labels.length !== bitsOf(family) / bits) return undefined;
    const digits = labels.map((label) => Number.parseInt(label, radix));
    if (digits.some((digit, index) => digit.toString(radix) !== labels[index])) return undefined;
    if (digits.some((digit) => digit >= 2 ** bits)) return undefined;
    const value = digits.reduceRight((high, digit) => (high << BigInt(bits)) | BigInt(digit), 0n);
    return Address.of(family, value);
  }
  return undefined;
}

const reverse: Readonly<Record<Family, { apex: Name; bits: number; radix: number }>> = {
  IPv4: { apex: nameOf("in-addr.arpa"), bits: 8, radix: 10 },
  IPv6: { apex: nameOf("ip6.arpa"), bits: 4, radix: 16 },
};

// Source ranges: one set for each prefix length of the allowed sources.

import { Address } from "../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { placeWords, type Words } from "./words.ts";

export function sourceSetName(length: number): string {
  return `sources-${length}`;
}

export function sourceSet(length: number, { addressType }: Words): string {
  const type = `${addressType} . ${addressType} . inet_proto . inet_service`;
  return `${sourceSetName(length)} { type ${type} ; }`;
}

/** Returns the rules that let clients in one of the sets pass, and drop all others. */
export function sourceRules(
  lengths: readonly number[],
  { family, words }: { family: Family; words: Words },
): readonly string[] {
  const { key } = placeWords("service", words);
  const source = `${words.ip} saddr`;
  return [
    ...lengths.map((length) => {
      const masked = length === bitsOf(family) ? source : `${source} and ${mask(family, length)}`;
      return `${masked} . ${key} @${sourceSetName(length)} return`;
    }),
    "drop",
  ];
}

function mask(family: Family, length: number): string {
  const ones = Address.of(family, (1n << BigInt(bitsOf(family))) - 1n);
  return Prefix.of(ones, length).first.toString();
}

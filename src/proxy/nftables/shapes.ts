// Chains and sets that exist because something needs them: for each number of endpoints a chain that
// picks one of so many, and for each length of source prefixes a set. How many there are depends on how
// many different numbers there are, not on how many services.

import { Address } from "../../net/address.ts";
import { bitsOf, type Family } from "../../net/family.ts";
import { Prefix } from "../../net/prefix.ts";
import { affinityKey } from "./affinity.ts";
import { carryRandom } from "./carried.ts";
import { type Place, placeWords, type Words } from "./words.ts";

/** A chain that picks an endpoint. */
export interface Picker {
  readonly place: Place;
  readonly isForOutsiders: boolean;
  readonly count: number;
  readonly affinitySeconds: number | undefined;
}

export function pickerName({ place, isForOutsiders, count, affinitySeconds }: Picker): string {
  const how = affinitySeconds === undefined ? "pick" : `stick-${affinitySeconds}`;
  return `${place}-${how}${isForOutsiders ? "-outside" : ""}-${count}`;
}

export function pickerRules(picker: Picker, words: Words): readonly string[] {
  const { place, count, isForOutsiders, affinitySeconds } = picker;
  const { key } = placeWords(place, words);
  const carry = carryRandom(count, isForOutsiders);
  const translate = `dnat ${words.ip} to ${key} . meta priority map @${place}-endpoints`;
  // A packet that comes to the end met a map in the middle of a change; its sender will try again.
  if (affinitySeconds === undefined) return [`${carry} ${translate}`, "drop"];
  const client = affinityKey(place, words);
  const remember = `update @affinity { ${client} timeout ${affinitySeconds}s : meta priority }`;
  return [
    `meta priority set ${client} map @affinity ${remember}`,
    translate,
    // It was not known, or its endpoint is gone.
    `delete @affinity { ${client} : meta priority }`,
    `${carry} meta priority set ${key} . meta priority map @${place}-numbers ${remember}`,
    translate,
    "drop",
  ];
}

export function sourceSetName(length: number): string {
  return `sources-${length}`;
}

export function sourceSet(length: number, { addressType }: Words): string {
  const type = `${addressType} . ${addressType} . inet_proto . inet_service`;
  return `${sourceSetName(length)} { type ${type} ; }`;
}

/** Lets pass who is in one of the sets. */
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

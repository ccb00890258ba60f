// Chains that exist because something needs them: for each number of endpoints one that picks one of so
// many. How many there are depends on how many different numbers there are, not on how many services.

import { type Place, placeWords, type Words } from "../table/words.ts";
import { affinityKey } from "./affinity.ts";
import { carryRandom } from "./carried.ts";

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

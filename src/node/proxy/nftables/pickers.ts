// Picker chains, which pick one of N endpoints: one chain per N, shared by all services with N endpoints.
// Their number depends on how many different N there are, not on the number of services.

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
  // The drop: a packet that gets this far met a map in the middle of a change, and its client will retry.
  if (affinitySeconds === undefined) return [`${carry} ${translate}`, "drop"];
  const client = affinityKey(place, words);
  const remember = `update @affinity { ${client} timeout ${affinitySeconds}s : meta priority }`;
  return [
    `meta priority set ${client} map @affinity ${remember}`,
    translate,
    // The client was not known, or its endpoint is gone.
    `delete @affinity { ${client} : meta priority }`,
    `${carry} meta priority set ${key} . meta priority map @${place}-numbers ${remember}`,
    translate,
    "drop",
  ];
}

// Session affinity: the map `affinity` remembers which endpoint a client was led to.
//
// Its key is two hashes of the client's and the service's address, protocol and port, since nft 1.0.6
// cannot add to a map whose key is longer than 16 bytes. Its value is a number that stands for the
// endpoint, and depends on nothing but the endpoint's address and port.

import type { NftElement } from "../../../base/host/nft.ts";
import { type Endpoint, endpointText, type Pool } from "../plan/frontend.ts";
import type { Place, Words } from "../table/words.ts";
import { numberLimit, priorityNumber } from "./carried.ts";

/** The number of clients that are remembered. */
const size = 1_048_576;
const modulus = 0x7f_ff_ff_ff;

export function affinityMap(): string {
  // The map is declared by a type that hashes share, since nft cannot print one declared by hashes.
  const hash = `numgen random mod ${modulus}`;
  const settings = [
    `typeof ${hash} . ${hash} : meta priority`,
    `size ${size}`,
    "flags dynamic,timeout",
    "timeout 3h",
  ];
  return `affinity { ${settings.join(" ; ")} ; }`;
}

/** Returns the key of the map: hashes of the client and of its destination. */
export function affinityKey(place: Place, { ip }: Words): string {
  const destination = place === "service" ? [`${ip} daddr`] : [];
  const fields = [`${ip} saddr`, ...destination, "meta l4proto", "th dport"].join(" . ");
  // The seeds are fixed, since what is remembered must mean the same after a restart.
  return ["0x5eed0001", "0x5eed0002"]
    .map((seed) => `jhash ${fields} mod ${modulus} seed ${seed}`)
    .join(" . ");
}

/** Returns the numbers that stand for a pool's endpoints. */
export function endpointNumbers(pool: Pool): readonly number[] {
  const taken = new Set<number>();
  return pool.map((endpoint) => {
    let number = hashOf(endpoint);
    while (taken.has(number)) number = (number + 1) % numberLimit;
    taken.add(number);
    return number;
  });
}

/** Turns an element of the old table's map into one that can be added to another table. */
export function affinityElement({ key, value = [], timeoutSeconds }: NftElement): string {
  const timeout = timeoutSeconds === undefined ? "" : ` timeout ${timeoutSeconds}s`;
  return `${key.join(" . ")}${timeout} : ${priorityNumber(value[0] ?? "")}`;
}

/** Hashes an endpoint with FNV-1a. */
function hashOf(endpoint: Endpoint): number {
  let value = 0x811c9dc5;
  for (const character of endpointText(endpoint)) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return (value >>> 0) % numberLimit;
}

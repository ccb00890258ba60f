// Session affinity: the map `affinity` remembers which endpoint a client was led to.
//
// Its key is two hashes of the client's and the service's address, protocol and port, since nft 1.0.6
// cannot add to a map whose key is longer than 16 bytes. Its value is a number that stands for the
// endpoint, which is carried in the packet's priority from one rule to the next: unlike the mark, the
// priority steers no routing, and only the first packet of a connection passes these rules. It is
// cleared before the packet leaves.

import type { NftElement } from "../../host/nft.ts";
import { type Endpoint, endpointText, type Pool } from "../plan/frontend.ts";
import type { Place, Words } from "./words.ts";

/** All numbers of endpoints begin with this byte, so that a packet that has one can be told. */
const signature = 0x7d;
const outsidersBit = 0x80_00_00;
const numberBits = 0x7f_ff_ff;

/** How many clients are remembered. */
const size = 1_048_576;
const modulus = 0x7f_ff_ff_ff;

/** Matches a packet whose priority is ours. */
export const isCarried = `meta priority and 0xff000000 == 0x${signature.toString(16)}000000`;

export function affinityMap(): string {
  const number = `numgen random mod ${modulus}`;
  const settings = [
    `typeof ${number} . ${number} : meta priority`,
    `size ${size}`,
    "flags dynamic,timeout",
    "timeout 3h",
  ];
  return `affinity { ${settings.join(" ; ")} ; }`;
}

/** What the client and where it goes amount to. */
export function affinityKey(place: Place, { ip }: Words): string {
  const destination = place === "service" ? [`${ip} daddr`] : [];
  const fields = [`${ip} saddr`, ...destination, "meta l4proto", "th dport"].join(" . ");
  // Fixed seeds: what is remembered must mean the same after a restart.
  return ["0x5eed0001", "0x5eed0002"]
    .map((seed) => `jhash ${fields} mod ${modulus} seed ${seed}`)
    .join(" . ");
}

/** The numbers of a pool's endpoints, which depend on their addresses and ports alone. */
export function endpointNumbers(pool: Pool, isForOutsiders: boolean): readonly string[] {
  const taken = new Set<number>();
  return pool.map((endpoint) => {
    let number = hash(endpoint);
    while (taken.has(number)) number = (number + 1) & numberBits;
    taken.add(number);
    return numberText(number | (isForOutsiders ? outsidersBit : 0));
  });
}

/** What was remembered, to be remembered by another table. */
export function affinityElement({ key, value = [], timeoutSeconds }: NftElement): string {
  const timeout = timeoutSeconds === undefined ? "" : ` timeout ${timeoutSeconds}s`;
  return `${key.join(" . ")}${timeout} : ${priorityNumber(value[0] ?? "")}`;
}

function numberText(number: number): string {
  return `0x${((signature << 24) | number).toString(16)}`;
}

/** nft prints priorities as `7d00:1f`. */
function priorityNumber(text: string): string {
  const [major = "0", minor] = text.split(":");
  if (minor === undefined) return text;
  return `0x${((Number.parseInt(major, 16) << 16) | Number.parseInt(minor, 16)).toString(16)}`;
}

/** FNV-1a, folded to 23 bits. */
function hash(endpoint: Endpoint): number {
  let value = 0x811c9dc5;
  for (const character of endpointText(endpoint)) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return (value ^ (value >>> 23)) & numberBits;
}

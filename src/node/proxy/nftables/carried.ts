// What one rule finds out about a packet and another needs to know, the packet carries in its priority:
// the number of an endpoint. Unlike the mark, the priority steers no routing; only the first packet of a
// connection passes these rules; and it is cleared before the packet leaves.

/** All that is carried begins with this byte, so that it can be told from what others put there. */
const signature = 0x7d_00_00_00;
/** Set in the numbers of endpoints that are for outsiders. */
const outsidersBit = 0x80_00_00;

/** Numbers are below this. */
export const numberLimit = outsidersBit;

/** Matches packets that carry something of ours. */
export const carriesNumber = `meta priority and 0xff000000 == ${hexadecimal(signature)}`;

/** As an element of a set has it. */
export function carried(number: number, isForOutsiders: boolean): string {
  return hexadecimal(base(isForOutsiders) + number);
}

/** Lets a packet carry a random number below `count`. */
export function carryRandom(count: number, isForOutsiders: boolean): string {
  return `meta priority set numgen random mod ${count} offset ${base(isForOutsiders)}`;
}

/** Of what an element of a set has, as nft prints it. */
export function isCarriedByOutsiders(text: string): boolean {
  return (Number(priorityNumber(text)) & outsidersBit) !== 0;
}

/** nft prints priorities as `7d00:1f`, which it also reads, though not where colons mean something. */
export function priorityNumber(text: string): string {
  const [major = "0", minor] = text.split(":");
  if (minor === undefined) return text;
  return hexadecimal(Number.parseInt(major, 16) * 0x1_00_00 + Number.parseInt(minor, 16));
}

function base(isForOutsiders: boolean): number {
  return isForOutsiders ? signature + outsidersBit : signature;
}

function hexadecimal(number: number): string {
  return `0x${number.toString(16)}`;
}

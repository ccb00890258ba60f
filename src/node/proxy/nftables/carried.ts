// The priority of a packet carries the number of an endpoint from the rule that picks it to the rules
// that need it. Unlike the mark, the priority does not influence routing; only the first packet of a
// connection passes these rules; and the priority is cleared before the packet leaves.

/** The first byte of all carried priorities, which tells them from those of others. */
const signature = 0x7d_00_00_00;
/** The bit of endpoints that serve outside clients. */
const outsidersBit = 0x80_00_00;

/** The limit that numbers stay below. */
export const numberLimit = outsidersBit;

/** The match for packets that carry a number of the proxy. */
export const carriesNumber = `meta priority and 0xff000000 == ${hexadecimal(signature)}`;

/** Returns the priority for a number, as an element of a set has it. */
export function carried(number: number, isForOutsiders: boolean): string {
  return hexadecimal(base(isForOutsiders) + number);
}

/** Returns the statement that sets a random number below `count`. */
export function carryRandom(count: number, isForOutsiders: boolean): string {
  return `meta priority set numgen random mod ${count} offset ${base(isForOutsiders)}`;
}

/** Whether a priority, as nft prints it in an element, is that of an endpoint for outside clients. */
export function isCarriedByOutsiders(text: string): boolean {
  return (Number(priorityNumber(text)) & outsidersBit) !== 0;
}

/**
 * Turns a priority as nft prints it, `7d00:1f`, into a number: nft also reads that form, but not where
 * colons have a meaning.
 */
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

// Integers of 64 bits. A double holds most of them; the others are bigints, so that no digit is lost on
// the way from a body to the store and back. A value has one form only: equal integers are identical.

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

/** Parses an integer; undefined when it needs more than 64 bits. */
export function exactInteger(digits: string | bigint): number | bigint | undefined {
  const number = Number(digits);
  if (Number.isSafeInteger(number) || String(number) === String(digits)) return number;
  const wide = BigInt(digits);
  if (wide < least || wide > most) return undefined;
  makeWritable();
  return wide;
}

export function isInteger(value: unknown): value is number | bigint {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** The number of digits from which on a double may be inexact. */
const longest = 16;

/** Whether the text has that many digits in a row: one of them stands at a multiple of their number. */
export function hasLongDigits(text: string): boolean {
  for (let at = longest - 1; at < text.length; at += longest) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start--;
    let end = at + 1;
    while (isDigit(text, end)) end++;
    if (end - start >= longest) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** Converts an integer of a request, in either form, to a number to count with. */
export function asNumber(integer: number | bigint): number {
  return Number(integer);
}

/** Makes JSON.stringify write bigints, which it refuses unless they have a toJSON. */
function makeWritable(): void {
  if (isWritable) return;
  isWritable = true;
  const prototype: object = BigInt.prototype;
  Object.defineProperty(prototype, "toJSON", {
    configurable: true,
    value(this: bigint) {
      return (JSON as RawJson).rawJSON(String(this));
    },
  });
}

let isWritable = false;

/** JSON.rawJSON, which the compiler's library does not know yet. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

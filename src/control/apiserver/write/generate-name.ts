// Generates names.
import { randomInt } from "node:crypto";

/** The letters of suffixes: no vowels, so that no words come out; no 0, 1, 3, which are easily misread. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maximumBase = 63 - suffixLength;

export function generateName(base: string): string {
  let suffix = "";
  for (let index = 0; index < suffixLength; index++) suffix += letters[randomInt(letters.length)];
  return base.slice(0, maximumBase) + suffix;
}

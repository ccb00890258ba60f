// Names that are made up: no vowels, so that they spell nothing, and no digits that look like letters.

import { createHash } from "node:crypto";
import type { Random } from "../../../base/host/random.ts";
import { canonicalJson } from "../../../base/json/value.ts";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longestPrefix = 63 - suffixLength;

/** `web-` becomes `web-x7k2p`. */
export function withSuffix(prefix: string, random: Random): string {
  const suffix = Array.from(
    { length: suffixLength },
    () => alphabet[Math.floor(random.fraction() * alphabet.length)],
  );
  return prefix.slice(0, longestPrefix) + suffix.join("");
}

/** Equal values have equal hashes; a collision is told apart by its number. */
export function hashOf(value: unknown, collisions = 0): string {
  const text = canonicalJson(value) + (collisions === 0 ? "" : `#${collisions}`);
  let rest = createHash("sha256").update(text).digest().readBigUInt64BE() >> 16n;
  let hash = "";
  for (let digit = 0; digit < 10; digit++) {
    hash += alphabet[Number(rest % 27n)];
    rest /= 27n;
  }
  return hash;
}

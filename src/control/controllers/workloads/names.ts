// Generated names: without vowels, so that they spell nothing, and without digits that look like letters.

import { createHash } from "node:crypto";
import type { Random } from "../../../base/host/random.ts";
import { canonicalJson } from "../../../base/json/value.ts";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longestPrefix = 63 - suffixLength;

/** Appends a random suffix: `web-` becomes `web-x7k2p`. */
export function withSuffix(prefix: string, random: Random): string {
  const suffix = Array.from(
    { length: suffixLength },
    () => alphabet[Math.floor(random.fraction() * alphabet.length)],
  );
  return prefix.slice(0, longestPrefix) + suffix.join("");
}

/** Returns a hash, equal for equal values; the number of collisions changes it. */
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

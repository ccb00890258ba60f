// Canonical spellings for what nft lets one spell in several ways.

import type { Token } from "./tokens.ts";

/** Joins words into one line: spaced as written, except within braces, where nft spaces them itself. */
export function lineOf(tokens: readonly Token[]): string {
  let line = "";
  let depth = 0;
  for (const { text, glued } of spelledOut(tokens)) {
    if (text === "{") depth++;
    const attached = depth > 0 || text === "}" ? text === "," : glued;
    line += attached || line === "" ? text : ` ${text}`;
    if (text === "}") depth--;
  }
  return line.replaceAll(/\bcounter packets \d+ bytes \d+/g, "counter");
}

/** Normalizes words within braces: line ends mean nothing there, and `80:drop` is `80 : drop`. */
function spelledOut(tokens: readonly Token[]): readonly Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.text === "{") depth++;
    if (token.text === "}") depth--;
    if (depth === 0) return [token];
    return token.text === "\n" ? [] : separateColon(token);
  });
}

/** Splits a word with one colon into a key and its value; a word with more colons is an address. */
export function separateColon(token: Token): readonly Token[] {
  const halves = /^([^:"]*):([^:"]*)$/.exec(token.text);
  if (halves === null) return [token];
  const [, key = "", value = ""] = halves;
  return [key, ":", value].filter((text) => text !== "").map((text) => ({ ...token, text }));
}

/** The plain spelling of a word: numbers in decimal, names without quotes unless they need them. */
export function plainWord(word: string): string {
  if (/^0x[0-9a-f]+$/i.test(word)) return BigInt(word).toString();
  return /^"[\w./-]+"$/.test(word) ? word.slice(1, -1) : word;
}

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Parses "1h30m" or "90"; anything else is not a duration. */
export function durationSeconds(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const match = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text);
  if (match === null || text === "") return undefined;
  const counts = match.slice(1).map((count: string | undefined) => Number(count ?? 0));
  const ms = Object.values(unitMs).reduce((sum, unit, at) => sum + unit * (counts[at] ?? 0), 0);
  return ms / 1000;
}

/** The duration as nft prints it: 5400 is "1h30m". */
export function durationText(seconds: number): string {
  let rest = Math.round(seconds * 1000);
  let text = "";
  for (const [unit, ms] of Object.entries(unitMs)) {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count > 0) text += `${count}${unit}`;
  }
  return text || "0s";
}

/** The names of priorities, by family where they differ. */
const priorities: Readonly<Record<string, number>> = {
  raw: -300,
  mangle: -150,
  dstnat: -100,
  filter: 0,
  security: 50,
  srcnat: 100,
};
const bridgePriorities: Readonly<Record<string, number>> = {
  dstnat: -300,
  filter: -200,
  out: 100,
  srcnat: 300,
};

/** The name of a priority if it has one, or the number: `-100`, `dstnat` and `filter - 100` are the same. */
export function priorityText(text: string, family: string): string {
  const names = family === "bridge" ? bridgePriorities : priorities;
  const match = /^([a-z]+)?\s*(?:([+-]?)\s*(\d+))?$/.exec(text);
  const [, name, sign, offset = "0"] = match ?? [];
  const value = (names[name ?? ""] ?? 0) + (sign === "-" ? -1 : 1) * Number(offset);
  return Object.keys(names).find((known) => names[known] === value) ?? String(value);
}

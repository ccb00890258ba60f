import type { Family } from "./family.ts";

/** The parsed address, or the reason why the text is none. */
export type ParsedAddress = { family: Family; value: bigint } | { refused: string };

/** Parses every spelling of an address but those that are ambiguous or redundant. */
export function parseAddressText(text: string): ParsedAddress {
  if (text.includes(":")) {
    const value = readGroups(text);
    return typeof value === "string" ? { refused: value } : { family: "IPv6", value };
  }
  const value = readDottedQuad(text, 0);
  return typeof value === "string" ? { refused: value } : { family: "IPv4", value: BigInt(value) };
}

/** Formats the one canonical spelling, that of RFC 5952. */
export function formatAddressText(family: Family, value: bigint): string {
  return family === "IPv4" ? formatDottedQuad(Number(value)) : formatGroups(groupsOf(value));
}

const dot = ".".charCodeAt(0);
const colon = ":".charCodeAt(0);

function readDottedQuad(text: string, start: number): number | string {
  if (text.length === start) return "it is empty";
  let value = 0;
  let octets = 0;
  let octet = -1;
  for (let index = start; index <= text.length; index++) {
    const code = index === text.length ? dot : text.charCodeAt(index);
    if (code === dot) {
      if (octet < 0) return "an octet is missing";
      value = value * 256 + octet;
      octets++;
      octet = -1;
    } else if (code >= 48 && code <= 57) {
      if (octet === 0) return "an octet has a leading zero";
      octet = (octet < 0 ? 0 : octet * 10) + code - 48;
      if (octet > 255) return "an octet is above 255";
    } else {
      return unexpected(text, index);
    }
  }
  return octets === 4 ? value : `it has ${octets} octets instead of 4`;
}

function readGroups(text: string): bigint | string {
  const groups: number[] = [];
  let gap = text.startsWith("::") ? 0 : -1;
  let index = gap === 0 ? 2 : 0;
  while (index < text.length) {
    let group = 0;
    let end = index;
    for (let digit = hexDigit(text, end); digit >= 0; digit = hexDigit(text, ++end)) {
      if (end - index === 4) return "a group has more than 4 digits";
      group = group * 16 + digit;
    }
    if (text.charCodeAt(end) === dot) {
      const quad = readDottedQuad(text, index);
      if (typeof quad === "string") return `its dotted tail is wrong: ${quad}`;
      groups.push(quad >>> 16, quad & 0xffff);
      break;
    }
    if (end === index) return unexpected(text, end);
    groups.push(group);
    if (end === text.length) break;
    if (text.charCodeAt(end) !== colon) return unexpected(text, end);
    index = end + 1;
    if (index === text.length) return 'it ends with a single ":"';
    if (text.charCodeAt(index) === colon) {
      if (gap >= 0) return 'it has more than one "::"';
      gap = groups.length;
      index++;
    }
  }
  if (gap < 0 && groups.length !== 8) return `it has ${groups.length} groups instead of 8`;
  if (gap >= 0 && groups.length > 7) return `it has ${groups.length} groups beside its "::"`;
  const value = valueOf(groups, gap);
  return value >> 32n === 0xffffn ? "it is an IPv4-mapped IPv6 address" : value;
}

function hexDigit(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function unexpected(text: string, index: number): string {
  const character = text.charAt(index);
  if (character === "%") return "a zone is not allowed";
  return `${JSON.stringify(character)} is not expected at position ${index + 1}`;
}

function formatDottedQuad(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

function formatGroups(groups: readonly number[]): string {
  const gap = longestZeroRun(groups);
  let text = "";
  for (let index = 0; index < groups.length; ) {
    if (index === gap.start) {
      text += index === 0 ? "::" : ":";
      index += gap.length;
    } else {
      text += groups[index]?.toString(16);
      index++;
      if (index < groups.length) text += ":";
    }
  }
  return text;
}

/** The first of the longest runs of zero groups; a single zero group is written out. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let start = -1;
  let length = 1;
  let run = 0;
  for (let index = 0; index < groups.length; index++) {
    run = groups[index] === 0 ? run + 1 : 0;
    if (run > length) {
      length = run;
      start = index - run + 1;
    }
  }
  return { start, length };
}

/** The scratch memory that bits move through: four to eight times as fast as shifting 128-bit integers. */
const bits = new DataView(new ArrayBuffer(16));

function valueOf(groups: readonly number[], gap: number): bigint {
  bits.setBigUint64(0, 0n);
  bits.setBigUint64(8, 0n);
  const skipped = 8 - groups.length;
  for (let index = 0; index < groups.length; index++) {
    const place = gap >= 0 && index >= gap ? index + skipped : index;
    bits.setUint16(2 * place, groups[index] ?? 0);
  }
  return (bits.getBigUint64(0) << 64n) | bits.getBigUint64(8);
}

function groupsOf(value: bigint): number[] {
  bits.setBigUint64(0, value >> 64n);
  bits.setBigUint64(8, value);
  const groups: number[] = [];
  for (let offset = 0; offset < 16; offset += 2) groups.push(bits.getUint16(offset));
  return groups;
}

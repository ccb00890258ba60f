import type { Family } from "./family.ts";

/** What a text means, or why it means nothing. */
export type ParsedAddress = { family: Family; value: bigint } | { refused: string };

/** Reads every spelling of RFC 4291 and of dotted-quad IPv4, except the ambiguous ones. */
export function parseAddressText(text: string): ParsedAddress {
  if (text.includes(":")) {
    const value = readGroups(text);
    return typeof value === "string" ? { refused: value } : { family: "IPv6", value };
  }
  const value = readDottedQuad(text, 0);
  return typeof value === "string" ? { refused: value } : { family: "IPv4", value: BigInt(value) };
}

export function formatAddressText(family: Family, value: bigint): string {
  return family === "IPv4" ? formatDottedQuad(Number(value)) : formatGroups(value);
}

const dot = 46;
const colon = 58;

function readDottedQuad(text: string, start: number): number | string {
  if (text.length === start) return "it is empty";
  let value = 0;
  let octet = -1;
  let octets = 0;
  for (let index = start; index <= text.length; index++) {
    const code = index === text.length ? dot : text.charCodeAt(index);
    if (code === dot) {
      if (octet < 0) return "an octet is missing";
      value = value * 256 + octet;
      octets++;
      octet = -1;
    } else if (code >= 48 && code <= 57) {
      if (octet === 0) return "an octet has a leading zero";
      octet = Math.max(octet, 0) * 10 + code - 48;
      if (octet > 255) return "an octet is above 255";
    } else {
      return unexpected(text, index);
    }
  }
  return octets === 4 ? value : `it has ${octets} octets instead of 4`;
}

function readGroups(text: string): bigint | string {
  const groups: number[] = [];
  let gap = -1;
  let index = 0;
  if (text.startsWith("::")) {
    gap = 0;
    index = 2;
  }
  while (index < text.length) {
    let group = 0;
    let end = index;
    for (let digit = hexDigit(text, end); digit >= 0; digit = hexDigit(text, ++end)) {
      group = group * 16 + digit;
      if (end - index === 4) return "a group has more than 4 digits";
    }
    if (text.charCodeAt(end) === dot) {
      const quad = readDottedQuad(text, index);
      if (typeof quad === "string") return `its dotted tail is wrong: ${quad}`;
      groups.push(quad >>> 16, quad & 0xffff);
      break;
    }
    if (end === index) return end < text.length ? unexpected(text, end) : "a group is missing";
    groups.push(group);
    if (end === text.length) break;
    if (text.charCodeAt(end) !== colon) return unexpected(text, end);
    index = end + 1;
    if (text.charCodeAt(index) === colon) {
      if (gap >= 0) return 'it has more than one "::"';
      gap = groups.length;
      index++;
    } else if (index === text.length) {
      return 'it ends with a single ":"';
    }
  }
  if (gap < 0 ? groups.length !== 8 : groups.length > 7) {
    return `it has ${groups.length} groups ${gap < 0 ? "instead of 8" : 'beside "::", at most 7 fit'}`;
  }
  if (gap >= 0) groups.splice(gap, 0, ...Array<number>(8 - groups.length).fill(0));
  const value = groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
  if (value >> 32n === 0xffffn) return "it is an IPv4-mapped IPv6 address";
  return value;
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

function formatGroups(value: bigint): string {
  const groups: number[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) {
    groups.push(Number((value >> shift) & 0xffffn));
  }
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(":");
  return `${hex.slice(0, run.start).join(":")}::${hex.slice(run.start + run.length).join(":")}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  }
  return best;
}

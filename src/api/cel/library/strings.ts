// Functions of texts. Positions count code points.
import { checkLength } from "../runtime/steps.ts";
import { CelError, type ListValue, PlainList, type Value } from "../runtime/value.ts";
import { formatString } from "./format-string.ts";
import type { Implementation, Library } from "./library.ts";
import { matchesPattern } from "./patterns.ts";

const out = (index: bigint) => new CelError(`index out of range: ${index}`);
const text = (value: Value | undefined) => value as string;

const contains: Implementation = (a, b) => text(a).includes(text(b));
const matches: Implementation = (a, b) => matchesPattern(text(a), text(b));

export const strings: Library = {
  contains: { contains_string: ["string.(string) bool", contains] },
  endsWith: { ends_with_string: ["string.(string) bool", (a, b) => text(a).endsWith(text(b))] },
  startsWith: {
    starts_with_string: ["string.(string) bool", (a, b) => text(a).startsWith(text(b))],
  },
  matches: {
    matches: ["(string, string) bool", matches],
    matches_string: ["string.(string) bool", matches],
  },
  charAt: {
    string_char_at_int: [
      "string.(int) string",
      (value, at) => {
        const points = Array.from(text(value));
        const index = Number(at);
        if (index < 0 || index > points.length) return out(at as bigint);
        return points[index] ?? "";
      },
    ],
  },
  indexOf: {
    string_index_of_string: ["string.(string) int", (a, b) => indexOf(text(a), text(b), 0n)],
    string_index_of_string_int: [
      "string.(string, int) int",
      (a, b, from) => indexOf(text(a), text(b), from as bigint),
    ],
  },
  lastIndexOf: {
    string_last_index_of_string: ["string.(string) int", (a, b) => lastIndexOf(text(a), text(b))],
    string_last_index_of_string_int: [
      "string.(string, int) int",
      (a, b, from) => lastIndexOfFrom(text(a), text(b), from as bigint),
    ],
  },
  lowerAscii: {
    string_lower_ascii: [
      "string.() string",
      (value) => text(value).replace(/[A-Z]+/g, (part) => part.toLowerCase()),
    ],
  },
  upperAscii: {
    string_upper_ascii: [
      "string.() string",
      (value) => text(value).replace(/[a-z]+/g, (part) => part.toUpperCase()),
    ],
  },
  replace: {
    string_replace_string_string: [
      "string.(string, string) string",
      (value, old, by) => replace(text(value), { old: text(old), by: text(by), most: -1 }),
    ],
    string_replace_string_string_int: [
      "string.(string, string, int) string",
      (value, old, by, most) =>
        replace(text(value), { old: text(old), by: text(by), most: Number(most) }),
    ],
  },
  split: {
    string_split_string: [
      "string.(string) list(string)",
      (value, separator) => split(text(value), text(separator), -1),
    ],
    string_split_string_int: [
      "string.(string, int) list(string)",
      (value, separator, most) => split(text(value), text(separator), Number(most)),
    ],
  },
  substring: {
    string_substring_int: [
      "string.(int) string",
      (value, from) => substring(text(value), from as bigint, undefined),
    ],
    string_substring_int_int: [
      "string.(int, int) string",
      (value, from, to) => substring(text(value), from as bigint, to as bigint),
    ],
  },
  trim: {
    string_trim: [
      "string.() string",
      (value) => text(value).replace(leading, "").replace(trailing, ""),
    ],
  },
  join: {
    list_join: ["list(string).() string", (list) => join(list as ListValue, "")],
    list_join_string: [
      "list(string).(string) string",
      (list, separator) => join(list as ListValue, text(separator)),
    ],
  },
  format: {
    string_format: [
      "string.(list(dyn)) string",
      (value, args) => formatString(text(value), args as ListValue),
    ],
  },
  "strings.quote": { strings_quote: ["(string) string", (value) => quote(text(value))] },
};

/** The white space of Unicode. */
const spaces = "\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const leading = new RegExp(`^[${spaces}]+`, "u");
/** White space at the end, found from a place where none precedes it, so that the search is linear. */
const trailing = new RegExp(`(?<![${spaces}])[${spaces}]+$`, "u");

function indexOf(value: string, part: string, from: bigint): Value {
  if (part === "") return from;
  if (from < 0n) return out(from);
  const start = unitOffset(value, Number(from));
  if (start === undefined) return -1n;
  const found = value.indexOf(part, start);
  return found < 0 ? -1n : BigInt(pointsBefore(value, found));
}

function lastIndexOf(value: string, part: string): Value {
  const length = pointsBefore(value, value.length);
  if (part === "") return BigInt(length);
  if (value.length < part.length || length === 0) return -1n;
  return lastIndexOfFrom(value, part, BigInt(length - 1));
}

function lastIndexOfFrom(value: string, part: string, from: bigint): Value {
  if (part === "") return from;
  if (from < 0n) return out(from);
  const start = unitOffset(value, Number(from));
  if (start === undefined) return -1n;
  const found = value.lastIndexOf(part, start);
  return found < 0 ? -1n : BigInt(pointsBefore(value, found));
}

/** Returns the index of a code point in the units of the text; `undefined` beyond its end. */
function unitOffset(value: string, points: number): number | undefined {
  let offset = 0;
  for (let count = 0; count < points; count++) {
    if (offset >= value.length) return undefined;
    offset += (value.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset >= value.length ? undefined : offset;
}

function pointsBefore(value: string, units: number): number {
  let points = 0;
  for (let offset = 0; offset < units; points++) {
    offset += (value.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return points;
}

function replace(
  value: string,
  { old, by, most }: { old: string; by: string; most: number },
): string {
  if (most === 0 || old === by) return value;
  const parts = old === "" ? Array.from(value) : value.split(old);
  if (old === "") {
    const count = most < 0 ? parts.length + 1 : Math.min(most, parts.length + 1);
    checkLength(value.length + count * by.length);
    const shown = parts.map((point, index) => (index < count ? by + point : point));
    return shown.join("") + (count > parts.length ? by : "");
  }
  const count = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
  checkLength(value.length + count * by.length);
  return (
    parts.slice(0, count + 1).join(by) +
    parts
      .slice(count + 1)
      .map((part) => old + part)
      .join("")
  );
}

function split(value: string, separator: string, most: number): Value {
  if (most === 0) return new PlainList([]);
  const parts = separator === "" ? Array.from(value) : value.split(separator);
  if (most < 0 || parts.length <= most) return new PlainList(parts);
  const rest = parts.slice(most - 1).join(separator);
  return new PlainList([...parts.slice(0, most - 1), rest]);
}

function substring(value: string, from: bigint, to: bigint | undefined): Value {
  const points = Array.from(value);
  const end = to ?? BigInt(points.length);
  if (to !== undefined && from > to) {
    return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  }
  if (from < 0n || from > points.length) return out(from);
  if (end < 0n || end > points.length) return out(end);
  return points.slice(Number(from), Number(end)).join("");
}

function join(list: ListValue, separator: string): Value {
  const parts: string[] = [];
  let length = 0;
  for (const each of list) {
    if (typeof each !== "string") return new CelError("join: invalid input: not a string");
    parts.push(each);
    length += each.length + separator.length;
    checkLength(length);
  }
  return parts.join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(value: string): string {
  return `"${Array.from(value, (one) => escapes[one] ?? one).join("")}"`;
}

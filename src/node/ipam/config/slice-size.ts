import { bitsOf, otherFamily } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { invalidField } from "./fields.ts";

/**
 * Parses the prefix length of a node's slice of a range: "/27", "27" or one size per family, "/27,/120".
 * A size of the other family stands for slices with as many addresses.
 */
export function parseSliceLength(text: string, prefix: Prefix, field: string): number {
  const { family } = prefix;
  const sizes = text.split(",").map((size) => parseSize(size.trim(), text, field));
  const own = sizes.find((size) => fits(size, prefix) && (family === "IPv4" || size > 32));
  if (own !== undefined) return own;
  const direct = sizes.find((size) => fits(size, prefix));
  if (direct !== undefined) return direct;
  const [first = 0] = sizes.filter((size) => family === "IPv6" || size > 32);
  const hostBits = bitsOf(first > 32 ? "IPv6" : otherFamily(family)) - first;
  const carried = bitsOf(family) - hostBits;
  if (first === 0 || !fits(carried, prefix)) {
    throw invalidField(
      `${field} ${JSON.stringify(text)}`,
      `${prefix.toString()} has no slices of that size`,
    );
  }
  return carried;
}

function fits(length: number, prefix: Prefix): boolean {
  return length >= prefix.length && length <= bitsOf(prefix.family);
}

function parseSize(size: string, text: string, field: string): number {
  const digits = /^\/?(\d{1,3})$/.exec(size)?.[1];
  const length = Number(digits);
  if (digits === undefined || length > 128) {
    throw invalidField(
      `${field} ${JSON.stringify(text)}`,
      `${JSON.stringify(size)} is no prefix length such as "/27"`,
    );
  }
  return length;
}

import { defined } from "../../../base/json/defined.ts";
import type { Address } from "../../../base/net/address.ts";
import { bitsOf } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { AddressRange } from "../../../base/net/range.ts";
import { RangeSet } from "../../../base/net/range-set.ts";
import { readAddress, readPrefix, readPrefixOrAddress, type Spot, type Warn } from "./addresses.ts";
import type { CanonicalRange } from "./canonical.ts";
import { invalidField } from "./fields.ts";

/** A range that every pod gets one address from. */
export interface PoolRange {
  /** The network; its prefix length is that of the addresses handed out. */
  readonly prefix: Prefix;
  /** The range that addresses are handed out of… */
  readonly window: AddressRange;
  /** …except for these. */
  readonly excluded: RangeSet;
  readonly gateway?: Address;
  /** The prefix length of slices; when given, each node hands out addresses of a slice of its own. */
  readonly sliceLength?: number;
}

export function parseRange(range: CanonicalRange, warn: Warn): PoolRange {
  const bounds = readBounds(range, warn);
  const { prefix } = bounds;
  return {
    prefix,
    window: narrow(bounds, range, warn),
    excluded: readExcludes(range, prefix, warn),
    ...readGateway(range, prefix, warn),
  };
}

/** Returns the addresses of a network that a host may have. */
export function usableAddresses(prefix: Prefix): AddressRange {
  const hostBits = bitsOf(prefix.family) - prefix.length;
  if (hostBits <= 1) return prefix.toRange();
  // The first address is the network itself (in IPv6 the subnet-router anycast address); only IPv4 has a
  // broadcast address.
  return AddressRange.of(prefix.at(1n), prefix.at(prefix.family === "IPv4" ? -2n : -1n));
}

interface Bounds {
  readonly prefix: Prefix;
  readonly start?: Address;
  readonly end?: Address;
}

function readBounds({ fields, nameOf }: CanonicalRange, warn: Warn): Bounds {
  const spot = { field: nameOf("range"), warn };
  const dash = fields.range.indexOf("-");
  if (dash >= 0) return readDashed(fields.range, dash, spot);
  const bound = (key: BoundKey) => {
    const text = fields[key];
    return text === undefined ? undefined : readAddress(text, { field: nameOf(key), warn });
  };
  const start = bound("range_start");
  const end = bound("range_end");
  return {
    prefix: readPrefix(fields.range, spot),
    ...defined({ start, end }),
  };
}

type BoundKey = "range_start" | "range_end";

/** Reads "192.168.1.5-192.168.1.25/24": the prefix length says which network the end is in. */
function readDashed(text: string, dash: number, spot: Spot): Bounds {
  const endText = text.slice(dash + 1);
  const prefix = readPrefix(endText, spot);
  const start = readAddress(text.slice(0, dash), spot);
  const end = readAddress(endText.slice(0, endText.indexOf("/")), spot);
  if (!prefix.contains(start)) {
    throw invalidField(
      `${spot.field} ${JSON.stringify(text)}`,
      `invalid range start for CIDR ${prefix.toString()}: ${start.toString()}`,
    );
  }
  return { prefix, start, end };
}

/**
 * Narrows a range to its bounds. A useless bound is ignored with a warning, as whereabouts does: pods
 * need addresses.
 */
function narrow({ prefix, start, end }: Bounds, range: CanonicalRange, warn: Warn): AddressRange {
  const usable = usableAddresses(prefix);
  const within = (key: BoundKey, bound: Address | undefined, fallback: Address): Address => {
    if (bound === undefined) return fallback;
    const ignored = (state: string): Address => {
      const name = `${nameOfBound(range, key)} ${bound.toString()}`;
      warn(`${name} is ignored: it ${state}, ${fallback.toString()} is used`);
      return fallback;
    };
    if (!prefix.contains(bound)) return ignored(`is outside of ${prefix.toString()}`);
    if (key === "range_end" && bound.value < first.value) {
      return ignored(`comes before the start ${first.toString()}`);
    }
    if (bound.value < usable.first.value) return usable.first;
    return bound.value > usable.last.value ? usable.last : bound;
  };
  const first: Address = within("range_start", start, usable.first);
  return AddressRange.of(first, within("range_end", end, usable.last));
}

/** Names the field of a bound; in "a-b/n" both bounds are in `range` itself. */
function nameOfBound({ fields, nameOf }: CanonicalRange, key: BoundKey): string {
  return nameOf(fields[key] === undefined ? "range" : key);
}

function readExcludes({ fields, excludeNames }: CanonicalRange, prefix: Prefix, warn: Warn) {
  const excludes = (fields.exclude ?? []).map((text, index) => {
    const field = excludeNames[index] ?? "exclude";
    const exclude = readPrefixOrAddress(text, { field: `exclude range ${field}`, warn });
    if (exclude.family !== prefix.family) {
      warn(`${field} ${text} is ignored: ${prefix.toString()} is ${prefix.family}`);
    }
    return exclude;
  });
  return RangeSet.of(excludes.filter((exclude) => exclude.family === prefix.family));
}

function readGateway(
  { fields: { gateway: text }, nameOf }: CanonicalRange,
  prefix: Prefix,
  warn: Warn,
): { gateway?: Address } {
  if (text === undefined) return {};
  const field = nameOf("gateway");
  const gateway = readAddress(text, { field, warn });
  if (gateway.family !== prefix.family) {
    throw invalidField(`${field} ${JSON.stringify(text)}`, `it is not ${prefix.family}`);
  }
  return { gateway };
}

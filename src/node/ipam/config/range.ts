import type { Address } from "../../../base/net/address.ts";
import { bitsOf } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { AddressRange } from "../../../base/net/range.ts";
import { RangeSet } from "../../../base/net/range-set.ts";
import { readAddress, readPrefix, readPrefixOrAddress, type Spot, type Warn } from "./addresses.ts";
import type { RangeFields } from "./canonical.ts";
import { invalidField } from "./fields.ts";

/** A range that every pod gets one address from. */
export interface PoolRange {
  /** The network; its length is the one of the addresses handed out. */
  readonly prefix: Prefix;
  /** Handed out are only addresses in here… */
  readonly window: AddressRange;
  /** …and not in here. */
  readonly excluded: RangeSet;
  readonly gateway?: Address;
  /** With it each node hands out of a slice of its own. */
  readonly sliceLength?: number;
}

export function parseRange(fields: RangeFields, { field, warn }: Spot): PoolRange {
  const bounded = readBounds(fields, { field, warn });
  const { prefix } = bounded;
  const excluded = readExcludes(fields.exclude ?? [], prefix, { field: `${field}.exclude`, warn });
  return {
    prefix,
    window: narrow(bounded, { field, warn }),
    excluded,
    ...readGateway(fields.gateway, prefix, { field: `${field}.gateway`, warn }),
  };
}

/** Every address of a network that a host may have. */
export function usableAddresses(prefix: Prefix): AddressRange {
  const hostBits = bitsOf(prefix.family) - prefix.length;
  if (hostBits <= 1) return prefix.toRange();
  // The first is the network itself (in IPv6 every router's); only IPv4 has a broadcast address.
  return AddressRange.of(prefix.at(1n), prefix.at(prefix.family === "IPv4" ? -2n : -1n));
}

interface Bounds {
  readonly prefix: Prefix;
  readonly start?: Address;
  readonly end?: Address;
}

function readBounds(fields: RangeFields, { field, warn }: Spot): Bounds {
  const spot = { field: `${field}.range`, warn };
  const dash = fields.range.indexOf("-");
  if (dash >= 0) return readDashed(fields.range, dash, spot);
  const bound = (key: "range_start" | "range_end") => {
    const text = fields[key];
    return text === undefined ? undefined : readAddress(text, { field: `${field}.${key}`, warn });
  };
  const start = bound("range_start");
  const end = bound("range_end");
  return {
    prefix: readPrefix(fields.range, spot),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

/** "192.168.1.5-192.168.1.25/24": the length says which network the end is in. */
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

function narrow({ prefix, start, end }: Bounds, { field, warn }: Spot): AddressRange {
  const usable = usableAddresses(prefix);
  for (const [key, bound] of Object.entries({ range_start: start, range_end: end })) {
    if (bound !== undefined && bound.family !== prefix.family) {
      throw invalidField(`${field}.${key} ${bound.toString()}`, `it is not ${prefix.family}`);
    }
  }
  if (start !== undefined && end !== undefined && start.value > end.value) {
    throw invalidField(
      `${field}.range_start ${start.toString()}`,
      `it is behind range_end ${end.toString()}`,
    );
  }
  const within = (key: string, bound: Address | undefined, fallback: Address): Address => {
    if (bound === undefined) return fallback;
    if (!prefix.contains(bound)) {
      warn(
        `${field}.${key} ${bound.toString()} is outside of ${prefix.toString()}: ${fallback.toString()} is used`,
      );
      return fallback;
    }
    if (bound.value < usable.first.value) return usable.first;
    return bound.value > usable.last.value ? usable.last : bound;
  };
  return AddressRange.of(
    within("range_start", start, usable.first),
    within("range_end", end, usable.last),
  );
}

function readExcludes(texts: readonly string[], prefix: Prefix, { field, warn }: Spot): RangeSet {
  const excludes = texts.map((text, index) => {
    const spot = { field: `exclude range ${field}[${index}]`, warn };
    const exclude = readPrefixOrAddress(text, spot);
    if (exclude.family !== prefix.family) {
      warn(`${field}[${index}] ${text} is ignored: ${prefix.toString()} is ${prefix.family}`);
    }
    return exclude;
  });
  return RangeSet.of(excludes.filter((exclude) => exclude.family === prefix.family));
}

function readGateway(
  text: string | undefined,
  prefix: Prefix,
  spot: { field: string; warn: Warn },
): { gateway?: Address } {
  if (text === undefined) return {};
  const gateway = readAddress(text, spot);
  if (gateway.family !== prefix.family) {
    throw invalidField(`${spot.field} ${JSON.stringify(text)}`, `it is not ${prefix.family}`);
  }
  return { gateway };
}

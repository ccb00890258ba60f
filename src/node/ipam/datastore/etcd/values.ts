import { isObject } from "../../../../base/json/value.ts";
import { Address } from "../../../../base/net/address.ts";
import type { Family } from "../../../../base/net/family.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { AddressRange } from "../../../../base/net/range.ts";
import type { RangeSet } from "../../../../base/net/range-set.ts";
import { type JsonObject } from "../../config/fields.ts";
import { addressFrom, toHexadecimal } from "../hexadecimal.ts";
import type { Reservation, Slice } from "../port.ts";

/**
 * The taken addresses of a space, and those reservations that are only kept for owners which may come
 * back.
 */
export interface SpaceValue {
  readonly taken: readonly AddressRange[];
  readonly kept: readonly Reservation[];
}

export function encodeSpace(family: Family, taken: RangeSet, kept: readonly Reservation[]): string {
  const hexadecimal = ({ value }: Address) => toHexadecimal(family, value);
  return JSON.stringify({
    taken: [...taken].map(({ first, last }) => [hexadecimal(first), hexadecimal(last)]),
    ...(kept.length > 0 ? { kept: kept.map(toJson) } : {}),
  });
}

export function decodeSpace(text: string): SpaceValue {
  const { taken, kept = [] } = JSON.parse(text) as {
    taken: [first: string, last: string][];
    kept?: unknown[];
  };
  return {
    taken: taken.map(([first, last]) => AddressRange.of(addressFrom(first), addressFrom(last))),
    kept: kept.map(toReservation),
  };
}

export function encodeReservation(reservation: Reservation): string {
  return JSON.stringify(toJson(reservation));
}

export function decodeReservation(text: string): Reservation {
  return toReservation(JSON.parse(text));
}

export function encodeSlices(slices: readonly Slice[]): string {
  return JSON.stringify(slices);
}

export function decodeSlices(text: string): Slice[] {
  const slices = JSON.parse(text) as { node: string; prefix: string }[];
  return slices.map(({ node, prefix }) => ({ node, prefix: Prefix.parse(prefix) }));
}

function toJson({ pool, address, ...rest }: Reservation): JsonObject {
  const { capacity, range, ...others } = pool;
  const counted = capacity === undefined ? {} : { capacity: capacity.toString() };
  return {
    ...rest,
    address: address.toString(),
    pool: { ...others, range: range.toString(), ...counted },
  };
}

function toReservation(value: unknown): Reservation {
  if (!isObject(value) || !isObject(value.pool)) {
    throw new TypeError(`Cannot read a reservation: it is ${JSON.stringify(value)}`);
  }
  const { address, pool, ...rest } = value as JsonObject & { pool: JsonObject };
  const { range, capacity, ...others } = pool;
  return {
    ...(rest as Omit<Reservation, "address" | "pool">),
    address: Address.parse(String(address)),
    pool: {
      ...(others as Omit<Reservation["pool"], "range" | "capacity">),
      range: Prefix.parse(String(range)),
      ...(typeof capacity === "string" ? { capacity: BigInt(capacity) } : {}),
    },
  };
}

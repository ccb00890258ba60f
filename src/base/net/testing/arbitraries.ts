// Random addresses, prefixes and ranges for property tests, with many zeros and many edges.

import fc, { type Arbitrary } from "fast-check";
import { Address } from "../address.ts";
import { bitsOf, type Family, families } from "../family.ts";
import { Prefix } from "../prefix.ts";
import { AddressRange } from "../range.ts";

export const anyFamily: Arbitrary<Family> = fc.constantFrom(...families);

export function anyAddress(family: Arbitrary<Family> = anyFamily): Arbitrary<Address> {
  return family.chain((one) => anyValue(one).map((value) => Address.of(one, value)));
}

export function anyPrefix(family: Arbitrary<Family> = anyFamily): Arbitrary<Prefix> {
  return anyAddress(family).chain((address) =>
    fc.integer({ min: 0, max: bitsOf(address.family) }).map((length) => Prefix.of(address, length)),
  );
}

export function anyRange(family: Arbitrary<Family> = anyFamily): Arbitrary<AddressRange> {
  return family.chain((one) =>
    fc
      .tuple(anyAddress(fc.constant(one)), anyAddress(fc.constant(one)))
      .map(([a, b]) => (a.compare(b) < 0 ? AddressRange.of(a, b) : AddressRange.of(b, a))),
  );
}

/** The spellings of an address: case, padding, any zero run, a dotted tail. */
export function anySpelling(address: Address): Arbitrary<string> {
  if (address.family === "IPv4") return fc.constant(address.toString());
  const groups = groupsOf(address.value);
  return fc
    .record({
      padding: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 8, maxLength: 8 }),
      upperCase: fc.boolean(),
      dottedTail: fc.boolean(),
      gap: fc.constantFrom(undefined, ...zeroRuns(groups)),
    })
    .map(({ padding, upperCase, dottedTail, gap }) => {
      const parts = groups.map((group, index) =>
        group.toString(16).padStart(padding[index] ?? 1, "0"),
      );
      const end = gap === undefined ? 0 : gap.start + gap.length;
      if (dottedTail && end <= 6) parts.splice(6, 2, dotted(groups.slice(6)));
      const text =
        gap === undefined
          ? parts.join(":")
          : `${parts.slice(0, gap.start).join(":")}::${parts.slice(end).join(":")}`;
      return upperCase ? text.toUpperCase() : text;
    });
}

function anyValue(family: Family): Arbitrary<bigint> {
  const top = (1n << BigInt(bitsOf(family))) - 1n;
  const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
    minLength: bitsOf(family) / 16,
    maxLength: bitsOf(family) / 16,
  });
  return fc.oneof(
    {
      arbitrary: groups.map((list) => list.reduce((sum, g) => (sum << 16n) + BigInt(g), 0n)),
      weight: 4,
    },
    { arbitrary: fc.bigInt({ min: 0n, max: top }), weight: 2 },
    { arbitrary: fc.constantFrom(0n, 1n, top - 1n, top), weight: 1 },
  );
}

function groupsOf(value: bigint): number[] {
  const hex = value.toString(16).padStart(32, "0");
  return (hex.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16));
}

function zeroRuns(groups: readonly number[]): { start: number; length: number }[] {
  return groups.flatMap((_, start) =>
    groups
      .map((__, index) => ({ start, length: index + 1 }))
      .filter((run) => start + run.length <= groups.length)
      .filter((run) => groups.slice(start, start + run.length).every((group) => group === 0)),
  );
}

function dotted(tail: readonly number[]): string {
  return tail.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

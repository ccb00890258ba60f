// Chooses a cluster IP. The choice is only a proposal: the store's compare-and-swap decides.
import { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { AddressRange } from "../../../base/net/range.ts";
import { lowestFree, RangeSet } from "../../../base/net/range-set.ts";
import { type Band, bandsOf, pick } from "./band.ts";

export interface TakenAddresses {
  has(address: string): boolean;
  all(): Iterable<string>;
}

export interface ChooseOptions {
  readonly taken: TakenAddresses;
  /** The addresses already chosen in the same transaction. */
  readonly chosen: ReadonlySet<string>;
  readonly fraction: () => number;
}

const bandOptions = { divisor: 16n, minimum: 16n, maximum: 256n };
/** The number of random guesses before the range is searched. */
const guesses = 8;

/** Returns the addresses that services may have: not the network address, nor the IPv4 broadcast address. */
export function usable(prefix: Prefix): AddressRange | undefined {
  const isTiny = prefix.size <= 2n;
  const first = isTiny ? prefix.first : prefix.at(1n);
  const last = isTiny || prefix.family === "IPv6" ? prefix.last : prefix.at(-2n);
  return AddressRange.of(first, last);
}

/** Returns a free address of the first range that has one; `undefined` when all are full. */
export function chooseAddress(
  ranges: readonly Prefix[],
  options: ChooseOptions,
): Address | undefined {
  for (const prefix of ranges) {
    const range = usable(prefix);
    const found = range && chooseWithin(range, options);
    if (found !== undefined) return found;
  }
  return undefined;
}

function chooseWithin(range: AddressRange, options: ChooseOptions): Address | undefined {
  const { upper, lower } = bandsOf(range.size, bandOptions);
  const isFree = (address: Address): boolean => {
    const text = address.toString();
    return !options.taken.has(text) && !options.chosen.has(text);
  };
  for (let guess = 0; guess < guesses; guess += 1) {
    const address = range.first.plus(pick(upper, options.fraction));
    if (isFree(address)) return address;
  }
  const taken = RangeSet.of(parsed([...options.taken.all(), ...options.chosen]));
  return (
    search(range, upper, { taken, fraction: options.fraction }) ??
    (lower && search(range, lower, { taken, fraction: options.fraction }))
  );
}

/** Searches from a random offset, then from the start, so that concurrent servers rarely collide. */
function search(
  range: AddressRange,
  band: Band,
  { taken, fraction }: { taken: RangeSet; fraction: () => number },
): Address | undefined {
  const first = range.first.plus(band.first);
  const last = range.first.plus(band.last);
  const start = range.first.plus(pick(band, fraction));
  return (
    lowestFree(AddressRange.of(start, last), taken) ??
    lowestFree(AddressRange.of(first, start), taken)
  );
}

function* parsed(texts: Iterable<string>): Iterable<Address> {
  for (const text of texts) {
    const address = Address.tryParse(text);
    if (address !== undefined) yield address;
  }
}

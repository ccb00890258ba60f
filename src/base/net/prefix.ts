import { Address, InvalidAddressError } from "./address.ts";
import { parseAddressText } from "./address-text.ts";
import { bitsOf, type Family } from "./family.ts";
import { AddressRange, type Span, spanContains, spansOverlap } from "./range.ts";

/** A network: an address whose host bits are zero, and a length. Immutable. */
export class Prefix implements Span {
  readonly first: Address;
  readonly last: Address;
  readonly length: number;

  private constructor(address: Address, length: number) {
    const { family, value } = address;
    const hostBits = BigInt(bitsOf(family) - length);
    const first = (value >> hostBits) << hostBits;
    this.first = first === value ? address : Address.of(family, first);
    this.last = Address.of(family, first | ((1n << hostBits) - 1n));
    this.length = length;
  }

  /** The prefix of this length that the address lies in. */
  static of(address: Address, length: number): Prefix {
    const bits = bitsOf(address.family);
    if (!Number.isInteger(length) || length < 0 || length > bits) {
      throw new InvalidAddressError(
        `make prefix ${address.toString()}/${length}`,
        `the length is not between 0 and ${bits}`,
      );
    }
    return new Prefix(address, length);
  }

  /** Parses "10.0.0.0/8"; host bits are masked. */
  static parse(this: void, text: string): Prefix {
    const { address, length } = readOrThrow(text);
    return new Prefix(address, length);
  }

  /** Parses like `parse`, but refuses host bits. */
  static parseStrict(this: void, text: string): Prefix {
    const { address, length } = readOrThrow(text);
    const prefix = new Prefix(address, length);
    if (prefix.first !== address) {
      throw refusal(text, `it has host bits, the network is ${prefix.toString()}`);
    }
    return prefix;
  }

  static tryParse(this: void, text: string): Prefix | undefined {
    const found = read(text);
    return "refused" in found ? undefined : new Prefix(found.address, found.length);
  }

  /** The fewest prefixes that together are exactly this span, in order. */
  static covering(span: Span): Prefix[] {
    return coverWithin(Prefix.of(span.first, 0), span);
  }

  get family(): Family {
    return this.first.family;
  }

  get size(): bigint {
    return 1n << BigInt(bitsOf(this.family) - this.length);
  }

  contains(other: Address | Span): boolean {
    return spanContains(this, other);
  }

  overlaps(other: Span): boolean {
    return spansOverlap(this, other);
  }

  /** The n-th address, from 0; negative numbers count from the end. */
  at(n: bigint): Address {
    const offset = n < 0n ? this.size + n : n;
    if (offset < 0n || offset >= this.size) {
      throw new InvalidAddressError(
        `take address ${n} of ${this.toString()}`,
        `it has ${this.size} addresses`,
      );
    }
    return this.first.plus(offset);
  }

  subdivide(length: number): SubdividedPrefix {
    return new SubdividedPrefix(this, length);
  }

  equals(other: Prefix): boolean {
    return this.length === other.length && this.first.equals(other.first);
  }

  toRange(): AddressRange {
    return AddressRange.of(this.first, this.last);
  }

  toString(): string {
    return `${this.first.toString()}/${this.length}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** The prefixes of one length within another, in order; each is made only when asked for. */
export class SubdividedPrefix {
  readonly whole: Prefix;
  readonly length: number;

  constructor(whole: Prefix, length: number) {
    const bits = bitsOf(whole.family);
    if (!Number.isInteger(length) || length < whole.length || length > bits) {
      throw new InvalidAddressError(
        `subdivide ${whole.toString()} into /${length}`,
        `the length is not between ${whole.length} and ${bits}`,
      );
    }
    this.whole = whole;
    this.length = length;
  }

  get count(): bigint {
    return 1n << BigInt(this.length - this.whole.length);
  }

  at(n: bigint): Prefix {
    if (n < 0n || n >= this.count) {
      throw new InvalidAddressError(
        `take /${this.length} number ${n} of ${this.whole.toString()}`,
        `there are ${this.count}`,
      );
    }
    const hostBits = bitsOf(this.whole.family) - this.length;
    return Prefix.of(this.whole.first.plus(n << BigInt(hostBits)), this.length);
  }
}

type Found = { address: Address; length: number } | { refused: string };

function read(text: string): Found {
  const slash = text.indexOf("/");
  if (slash < 0) return { refused: 'it has no "/"' };
  const found = parseAddressText(text.slice(0, slash));
  if ("refused" in found) return found;
  const bits = bitsOf(found.family);
  const length = /^(0|[1-9]\d{0,2})$/.test(text.slice(slash + 1))
    ? Number(text.slice(slash + 1))
    : -1;
  if (length < 0 || length > bits) {
    return { refused: `its length is not a number from 0 to ${bits}` };
  }
  return { address: Address.of(found.family, found.value), length };
}

function readOrThrow(text: string): Exclude<Found, { refused: string }> {
  const found = read(text);
  if ("refused" in found) throw refusal(text, found.refused);
  return found;
}

function refusal(text: string, state: string): InvalidAddressError {
  return new InvalidAddressError(`parse prefix ${JSON.stringify(text)}`, state);
}

function coverWithin(whole: Prefix, span: Span): Prefix[] {
  if (!whole.overlaps(span)) return [];
  if (spanContains(span, whole)) return [whole];
  const halves = whole.subdivide(whole.length + 1);
  return [...coverWithin(halves.at(0n), span), ...coverWithin(halves.at(1n), span)];
}

import { Address } from "./address.ts";
import { bitsOf, type Family } from "./family.ts";
import { AddressRange, type Span, spanContains, spansOverlap } from "./range.ts";

export class InvalidPrefixError extends Error {
  override readonly name = "InvalidPrefixError";
}

/** A network: an address whose host bits are zero, and a length. */
export class Prefix implements Span {
  readonly first: Address;
  readonly length: number;

  private constructor(first: Address, length: number) {
    this.first = first;
    this.length = length;
  }

  /** The prefix of this length around an address. */
  static of(address: Address, length: number): Prefix {
    const bits = bitsOf(address.family);
    if (!Number.isInteger(length) || length < 0 || length > bits) {
      throw new InvalidPrefixError(
        `Cannot make prefix ${address.toString()}/${length}: the length is not between 0 and ${bits}`,
      );
    }
    const hostBits = BigInt(bits - length);
    return new Prefix(Address.of(address.family, (address.value >> hostBits) << hostBits), length);
  }

  /** Reads "10.0.0.0/8"; host bits are masked away. */
  static parse(this: void, text: string): Prefix {
    const { address, length } = read(text);
    return Prefix.of(address, length);
  }

  /** Like `parse`, but refuses host bits. */
  static parseStrict(this: void, text: string): Prefix {
    const { address, length } = read(text);
    const prefix = Prefix.of(address, length);
    if (!prefix.first.equals(address)) {
      throw new InvalidPrefixError(
        `Cannot parse prefix ${JSON.stringify(text)}: it has host bits, the network is ${prefix.toString()}`,
      );
    }
    return prefix;
  }

  static tryParse(this: void, text: string): Prefix | undefined {
    const slash = text.indexOf("/");
    const address = slash < 0 ? undefined : Address.tryParse(text.slice(0, slash));
    if (address === undefined) return undefined;
    const length = readLength(text.slice(slash + 1), bitsOf(address.family));
    return length === undefined ? undefined : Prefix.of(address, length);
  }

  /** The fewest prefixes that together are exactly this span, in order. */
  static covering(span: Span): Prefix[] {
    const { family } = span.first;
    const prefixes: Prefix[] = [];
    let start = span.first.value;
    while (start <= span.last.value) {
      let hostBits = 0;
      while (hostBits < bitsOf(family)) {
        const size = 1n << BigInt(hostBits + 1);
        if (start % size !== 0n || start + size - 1n > span.last.value) break;
        hostBits++;
      }
      prefixes.push(new Prefix(Address.of(family, start), bitsOf(family) - hostBits));
      start += 1n << BigInt(hostBits);
    }
    return prefixes;
  }

  get family(): Family {
    return this.first.family;
  }

  get size(): bigint {
    return 1n << BigInt(bitsOf(this.family) - this.length);
  }

  get last(): Address {
    return this.first.plus(this.size - 1n);
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
      throw new InvalidPrefixError(
        `Cannot take address ${n} of ${this.toString()}: it has ${this.size} addresses`,
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

/** The prefixes of one length within another, in order; none is made before it is asked for. */
export class SubdividedPrefix {
  readonly whole: Prefix;
  readonly length: number;

  constructor(whole: Prefix, length: number) {
    const bits = bitsOf(whole.family);
    if (!Number.isInteger(length) || length < whole.length || length > bits) {
      throw new InvalidPrefixError(
        `Cannot subdivide ${whole.toString()} into /${length}: the length is not between ${whole.length} and ${bits}`,
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
      throw new InvalidPrefixError(
        `Cannot take /${this.length} number ${n} of ${this.whole.toString()}: there are ${this.count}`,
      );
    }
    const hostBits = BigInt(bitsOf(this.whole.family) - this.length);
    return Prefix.of(this.whole.first.plus(n << hostBits), this.length);
  }
}

function read(text: string): { address: Address; length: number } {
  const slash = text.indexOf("/");
  if (slash < 0) {
    throw new InvalidPrefixError(`Cannot parse prefix ${JSON.stringify(text)}: it has no "/"`);
  }
  const address = Address.parse(text.slice(0, slash));
  const bits = bitsOf(address.family);
  const length = readLength(text.slice(slash + 1), bits);
  if (length === undefined) {
    throw new InvalidPrefixError(
      `Cannot parse prefix ${JSON.stringify(text)}: the length is not a number from 0 to ${bits}`,
    );
  }
  return { address, length };
}

function readLength(text: string, bits: number): number | undefined {
  if (!/^(0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const length = Number(text);
  return length <= bits ? length : undefined;
}

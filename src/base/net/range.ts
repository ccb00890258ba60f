import { Address, InvalidAddressError } from "./address.ts";
import type { Family } from "./family.ts";

/** A span of addresses from its first to its last: a range, a prefix. */
export interface Span {
  readonly first: Address;
  readonly last: Address;
}

/** An inclusive range of addresses of one family. */
export class AddressRange implements Span {
  readonly first: Address;
  readonly last: Address;

  private constructor(first: Address, last: Address) {
    this.first = first;
    this.last = last;
  }

  static of(first: Address, last: Address): AddressRange {
    const action = `make range ${first.toString()}-${last.toString()}`;
    if (first.family !== last.family) throw new InvalidAddressError(action, "its families differ");
    if (first.value > last.value) throw new InvalidAddressError(action, "it ends before it starts");
    return new AddressRange(first, last);
  }

  /** Parses "10.0.0.10-10.0.0.20". */
  static parse(this: void, text: string): AddressRange {
    const [first, last, ...more] = text.split("-");
    if (first === undefined || last === undefined || more.length > 0) {
      throw new InvalidAddressError(
        `parse range ${JSON.stringify(text)}`,
        'it is not two addresses with a "-" between them',
      );
    }
    return AddressRange.of(Address.parse(first), Address.parse(last));
  }

  get family(): Family {
    return this.first.family;
  }

  get size(): bigint {
    return this.last.value - this.first.value + 1n;
  }

  contains(other: Address | Span): boolean {
    return spanContains(this, other);
  }

  overlaps(other: Span): boolean {
    return spansOverlap(this, other);
  }

  intersect(other: Span): AddressRange | undefined {
    if (!spansOverlap(this, other)) return undefined;
    const first = this.first.value > other.first.value ? this.first : other.first;
    const last = this.last.value < other.last.value ? this.last : other.last;
    return new AddressRange(first, last);
  }

  equals(other: AddressRange): boolean {
    return this.first.equals(other.first) && this.last.equals(other.last);
  }

  toString(): string {
    return `${this.first.toString()}-${this.last.toString()}`;
  }

  toJSON(): string {
    return this.toString();
  }
}

export function spanContains(span: Span, other: Address | Span): boolean {
  const { first, last } = spanOf(other);
  return (
    span.first.family === first.family &&
    span.first.value <= first.value &&
    last.value <= span.last.value
  );
}

export function spansOverlap(one: Span, other: Span): boolean {
  return (
    one.first.family === other.first.family &&
    one.first.value <= other.last.value &&
    other.first.value <= one.last.value
  );
}

/** The span of an item; that of an address is just itself. */
export function spanOf(item: Address | Span): Span {
  return item instanceof Address ? { first: item, last: item } : item;
}

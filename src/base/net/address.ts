import { formatAddressText, parseAddressText } from "./address-text.ts";
import { bitsOf, type Family } from "./family.ts";

/** The error of text or arithmetic that yields no address, prefix or range; `state` says why. */
export class InvalidAddressError extends Error {
  override readonly name = "InvalidAddressError";
  readonly state: string;

  constructor(action: string, state: string, options?: ErrorOptions) {
    super(`Cannot ${action}: ${state}`, options);
    this.state = state;
  }
}

/** One IPv4 or IPv6 address. Immutable; equal addresses have equal text. */
export class Address {
  readonly family: Family;
  readonly value: bigint;

  private constructor(family: Family, value: bigint) {
    this.family = family;
    this.value = value;
  }

  static of(family: Family, value: bigint): Address {
    if (!fits(family, value)) {
      throw new InvalidAddressError("make an address", `${value} is outside of ${family}`);
    }
    return new Address(family, value);
  }

  /** Parses any spelling but those of IPv4-mapped IPv6, of zones and of octets with leading zeros. */
  static parse(this: void, text: string): Address {
    const parsed = parseAddressText(text);
    if ("refused" in parsed) {
      throw new InvalidAddressError(`parse address ${JSON.stringify(text)}`, parsed.refused);
    }
    return new Address(parsed.family, parsed.value);
  }

  static tryParse(this: void, text: string): Address | undefined {
    const parsed = parseAddressText(text);
    return "refused" in parsed ? undefined : new Address(parsed.family, parsed.value);
  }

  get isUnspecified(): boolean {
    return this.value === 0n;
  }

  get isLoopback(): boolean {
    return this.family === "IPv4" ? this.value >> 24n === 127n : this.value === 1n;
  }

  get isLinkLocal(): boolean {
    return this.family === "IPv4" ? this.value >> 16n === 0xa9fen : this.value >> 118n === 0x3fan;
  }

  get isMulticast(): boolean {
    return this.family === "IPv4" ? this.value >> 28n === 0xen : this.value >> 120n === 0xffn;
  }

  equals(other: Address): boolean {
    return this.family === other.family && this.value === other.value;
  }

  /** Orders by value, IPv4 before IPv6. */
  compare(other: Address): number {
    if (this.family !== other.family) return this.family === "IPv4" ? -1 : 1;
    if (this.value === other.value) return 0;
    return this.value < other.value ? -1 : 1;
  }

  /** Adds an offset; throws when the result is outside of the family's addresses. */
  plus(offset: bigint): Address {
    const value = this.value + offset;
    if (!fits(this.family, value)) {
      throw new InvalidAddressError(
        `add ${offset} to ${this.toString()}`,
        `the result is outside of ${this.family}`,
      );
    }
    return new Address(this.family, value);
  }

  /** The distance from another address; throws when the families differ. */
  offsetFrom(base: Address): bigint {
    if (this.family !== base.family) {
      throw new InvalidAddressError(
        `take the offset of ${this.toString()} from ${base.toString()}`,
        "their families differ",
      );
    }
    return this.value - base.value;
  }

  toString(): string {
    return formatAddressText(this.family, this.value);
  }

  toJSON(): string {
    return this.toString();
  }
}

function fits(family: Family, value: bigint): boolean {
  return value >= 0n && value >> BigInt(bitsOf(family)) === 0n;
}

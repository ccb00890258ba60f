// A reader of the protobuf wire format with bounds checks: a hostile length allocates nothing.

import { ParseError } from "../../base/json/error.ts";
import { exactInteger } from "../../base/json/integer.ts";

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

export class Reader {
  /** The wire type of the field that `field` has read last. */
  wire = 0;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Reads the number of the next field, and sets `wire` to its wire type. */
  field(): number {
    const tag = this.#varint();
    if (tag > 0xffffffff || tag < 8) throw this.#malformed("a field number out of range");
    this.wire = tag & 7;
    return tag >>> 3;
  }

  boolean(): boolean {
    return this.#varint() !== 0;
  }

  int32(): number {
    return Number(this.#integer(32));
  }

  /** Reads an integer: a bigint where a double would round, as the JSON parser does. */
  int64(): number | bigint {
    return this.#integer(64);
  }

  double(): number {
    const at = this.#take(8);
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + at, 8).getFloat64(
      0,
      true,
    );
    if (!Number.isFinite(value)) throw new ParseError("InvalidNumber", `${value} has no JSON form`);
    return value;
  }

  bytes(): Uint8Array {
    const length = this.#varint();
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  string(): string {
    const length = this.#varint();
    const start = this.#take(length);
    const end = start + length;
    if (this.#isAscii(start, end)) return this.#bytes.toString("latin1", start, end);
    try {
      return utf8.decode(this.#bytes.subarray(start, end));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new ParseError("InvalidEncoding", "the text is not UTF-8", { cause: error });
    }
  }

  /** A reader for the message that starts here. */
  message(): Reader {
    const length = this.#varint();
    const at = this.#take(length);
    return new Reader(this.#bytes, at, at + length);
  }

  /** Skips the current field. */
  skip(): void {
    const { wire } = this;
    if (wire === wireTypes.varint) this.#varint();
    else if (wire === wireTypes.fixed64) this.#take(8);
    else if (wire === wireTypes.bytes) this.#take(this.#varint());
    else if (wire === wireTypes.fixed32) this.#take(4);
    else throw this.#malformed(`wire type ${wire}`);
  }

  expect(wire: number): void {
    if (this.wire !== wire) {
      throw this.#malformed(`wire type ${this.wire} where ${wire} belongs`);
    }
  }

  /** Whether a text is short and ASCII, as most are: checking costs less than a call of the decoder. */
  #isAscii(start: number, end: number): boolean {
    if (end - start > 128) return false;
    for (let at = start; at < end; at++) if ((this.#bytes[at] ?? 0) > 0x7f) return false;
    return true;
  }

  /** Advances over the next `length` bytes, and returns their offset. */
  #take(length: number): number {
    const at = this.#at;
    if (length > this.#end - at) {
      throw this.#malformed(`${length} bytes announced, ${this.#end - at} are left`);
    }
    this.#at = at + length;
    return at;
  }

  /** Reads a signed integer. Negative ones are written as large unsigned ones, so the last bits matter. */
  #integer(bits: number): number | bigint {
    const start = this.#at;
    const value = this.#varint();
    if (value < 2 ** 31) return value;
    const bytes = this.#bytes.subarray(start, this.#at);
    const wide = bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n);
    return exactInteger(BigInt.asIntN(bits, wide)) ?? 0;
  }

  /** Reads a varint: exact up to 53 bits, merely large beyond. */
  #varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      if (this.done) throw this.#malformed("an integer without an end");
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw this.#malformed("an integer of more than ten bytes");
  }

  #malformed(what: string): ParseError {
    return new ParseError("InvalidSyntax", `${what} at byte ${this.#at}`, { position: this.#at });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

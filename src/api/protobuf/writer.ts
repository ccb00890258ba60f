import { wireTypes } from "./reader.ts";

/** Writes the protobuf wire format into a buffer that grows. */
export class Writer {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  tag(number: number, wire: number): void {
    this.#varint(number * 8 + wire);
  }

  boolean(value: boolean): void {
    this.#varint(value ? 1 : 0);
  }

  integer(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) {
      this.#varint(value);
      return;
    }
    // A large number stands for the digits that it prints, as in JSON: the nearest double has others.
    let wide = BigInt.asUintN(64, BigInt(String(value)));
    for (; wide > 0x7fn; wide >>= 7n) this.#put(Number(wide & 0x7fn) | 0x80);
    this.#put(Number(wide));
  }

  double(value: number): void {
    const at = this.#grow(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  bytes(value: Uint8Array): void {
    this.#varint(value.length);
    this.raw(value);
  }

  /** Writes bytes whose length has been written. */
  raw(value: Uint8Array): void {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.#varint(length);
    const at = this.#grow(length);
    this.#bytes.write(value, at);
  }

  /** Writes the tag and the length of a field. */
  head(number: number, length: number): void {
    this.tag(number, wireTypes.bytes);
    this.#varint(length);
  }

  /** Writes a field that is a message, whose content the callback writes. */
  message(number: number, write: () => void): void {
    this.tag(number, wireTypes.bytes);
    const start = this.#grow(1);
    write();
    this.#insertLength(start);
  }

  /**
   * Writes the length of all that follows into the byte at `start`, or shifts the bytes if it needs more
   * room.
   */
  #insertLength(start: number): void {
    const end = this.#length;
    const length = end - start - 1;
    const further = varintSize(length) - 1;
    if (further > 0) {
      this.#grow(further);
      this.#bytes.copyWithin(start + 1 + further, start + 1, end);
    }
    this.#length = start;
    this.#varint(length);
    this.#length = end + further;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#put((rest % 128) | 0x80);
    this.#put(rest);
  }

  #put(byte: number): void {
    const at = this.#grow(1);
    this.#bytes[at] = byte;
  }

  /** Reserves bytes, and returns their offset. */
  #grow(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size += 1;
  return size;
}

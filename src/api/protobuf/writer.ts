import { wireTypes } from "./reader.ts";

/** Writes the protobuf wire format into a buffer that grows. */
export class Writer {
  #bytes = new Uint8Array(64);
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

  integer(value: number): void {
    if (value >= 0) {
      this.#varint(value);
      return;
    }
    const wide = BigInt.asUintN(64, BigInt(value));
    for (let shift = 0n; shift < 63n; shift += 7n)
      this.#put(Number((wide >> shift) & 0x7fn) | 0x80);
    this.#put(1);
  }

  double(value: number): void {
    const at = this.#grow(8);
    new DataView(this.#bytes.buffer).setFloat64(at, value, true);
  }

  bytes(value: Uint8Array): void {
    this.#varint(value.length);
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
  }

  string(value: string): void {
    this.bytes(new TextEncoder().encode(value));
  }

  /** A field that holds a message, written by the caller. */
  message(number: number, write: (inner: Writer) => void): void {
    const inner = new Writer();
    write(inner);
    this.tag(number, wireTypes.bytes);
    this.bytes(inner.finish());
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

  /** Makes room, and gives the offset of it. */
  #grow(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return at;
  }
}

// Frames and records of the log. A frame holds the records that one write makes durable; a frame that is
// not whole was never acknowledged.
//
//   frame:   magic u32, payload length u32, checksum u32, payload
//   record:  kind u8, modified u48, created u48, expires u48, key length u16, value length u32, key, value
//
// The records of one transaction follow each other and have the same `modified`. A mark tells the
// store's revision (`modified`) and the compacted one (`created`).

import { crc32 } from "node:zlib";
import type { Revision } from "../port.ts";

export type RecordKind = "put" | "delete" | "mark";

interface LogRecord {
  readonly kind: RecordKind;
  readonly modified: Revision;
  readonly created: Revision;
  /** The time of expiry in milliseconds since 1970; 0 for never. */
  readonly expires: number;
  readonly key: string;
}

export const frameHeaderSize = 12;
const recordHeaderSize = 25;
/** The largest buffer to keep; one that a large transaction has enlarged beyond this is dropped. */
const largestKeptBuffer = 1 << 20;
const magic = Buffer.from("TNDM");
const kinds: readonly RecordKind[] = ["put", "delete", "mark"];
const nothing = new Uint8Array(0);

/** Collects records in one frame. */
export class FrameBuilder {
  #buffer = Buffer.allocUnsafe(1 << 16);
  #end = frameHeaderSize;

  get size(): number {
    return this.#end;
  }

  get isEmpty(): boolean {
    return this.#end === frameHeaderSize;
  }

  /** Adds a record; returns where in the frame the value begins. */
  add(record: LogRecord, value: Uint8Array = nothing): number {
    const keyLength = Buffer.byteLength(record.key);
    this.#reserve(recordHeaderSize + keyLength + value.length);
    const buffer = this.#buffer;
    let at = buffer.writeUInt8(kinds.indexOf(record.kind), this.#end);
    at = buffer.writeUIntLE(record.modified, at, 6);
    at = buffer.writeUIntLE(record.created, at, 6);
    at = buffer.writeUIntLE(record.expires, at, 6);
    at = buffer.writeUInt16LE(keyLength, at);
    at = buffer.writeUInt32LE(value.length, at);
    at += buffer.write(record.key, at);
    buffer.set(value, at);
    this.#end = at + value.length;
    return at;
  }

  /** Copies a record as it stands in another frame; returns where it begins in this one. */
  addEncoded(record: Uint8Array): number {
    this.#reserve(record.length);
    const at = this.#end;
    this.#buffer.set(record, at);
    this.#end += record.length;
    return at;
  }

  /** Returns the finished frame, valid until the builder is used again. */
  finish(salt: number): Buffer {
    const frame = this.#buffer.subarray(0, this.#end);
    frame.set(magic, 0);
    frame.writeUInt32LE(this.#end - frameHeaderSize, 4);
    frame.writeUInt32LE(crc32(frame.subarray(frameHeaderSize), salt), 8);
    return frame;
  }

  clear(): void {
    this.#end = frameHeaderSize;
    if (this.#buffer.length > largestKeptBuffer) this.#buffer = Buffer.allocUnsafe(1 << 16);
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#end + bytes));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

/** Returns the size that a frame claims to have; `undefined` if none begins here. */
export function frameSize(buffer: Buffer, at: number): number | undefined {
  if (buffer.length - at < frameHeaderSize) return undefined;
  if (magic.compare(buffer, at, at + magic.length) !== 0) return undefined;
  return frameHeaderSize + buffer.readUInt32LE(at + 4);
}

/** Whether a complete and undamaged frame begins here. */
export function isWholeFrame(buffer: Buffer, at: number, salt: number): boolean {
  const size = frameSize(buffer, at);
  if (size === undefined || at + size > buffer.length) return false;
  const payload = buffer.subarray(at + frameHeaderSize, at + size);
  return crc32(payload, salt) === buffer.readUInt32LE(at + 8);
}

/** Returns where the next whole frame begins behind the given offset; -1 if there is none. */
export function findFrame(buffer: Buffer, behind: number, salt: number): number {
  let at = buffer.indexOf(magic, behind + 1);
  while (at >= 0 && !isWholeFrame(buffer, at, salt)) at = buffer.indexOf(magic, at + 1);
  return at;
}

/** A record as it is found in the log. */
export interface FoundRecord extends LogRecord {
  /** The offset of the value in the frame. */
  readonly valueAt: number;
  readonly valueLength: number;
}

/** Visits every record of a whole frame. */
export function readRecords(frame: Buffer, visit: (record: FoundRecord) => void): void {
  let at = frameHeaderSize;
  while (at < frame.length) {
    const keyAt = at + recordHeaderSize;
    const valueAt = keyAt + frame.readUInt16LE(at + 19);
    const valueLength = frame.readUInt32LE(at + 21);
    visit({
      kind: kinds[frame.readUInt8(at)] as RecordKind,
      modified: frame.readUIntLE(at + 1, 6),
      created: frame.readUIntLE(at + 7, 6),
      expires: frame.readUIntLE(at + 13, 6),
      key: frame.toString("utf8", keyAt, valueAt),
      valueAt,
      valueLength,
    });
    at = valueAt + valueLength;
  }
}

/** Returns how many bytes in front of its value a record begins. */
export function valueDistance(key: string): number {
  return recordHeaderSize + Buffer.byteLength(key);
}

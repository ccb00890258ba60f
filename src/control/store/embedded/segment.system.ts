// A segment: one file of the log.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { StoreError } from "../errors.ts";
import { findFrame, frameHeaderSize, frameSize, isWholeFrame } from "./record.ts";

const magic = Buffer.from("tandem-store-1\n\0");
/**
 * The header: the magic, then the salt of the checksums, so that values that look like frames are not
 * mistaken for some.
 */
const fileHeaderSize = magic.length + 4;
const readAhead = 1 << 20;

const synchronise = promisify(fdatasync);

export class Segment {
  readonly salt: number;
  readonly #descriptor: number;
  #path: string;
  #size: number;
  #readers = 0;
  #retired = false;

  private constructor(
    path: string,
    descriptor: number,
    { salt, size }: { salt: number; size: number },
  ) {
    this.#path = path;
    this.salt = salt;
    this.#descriptor = descriptor;
    this.#size = size;
  }

  /** Creates the file. The caller makes the directory entry durable. */
  static async create(path: string): Promise<Segment> {
    const descriptor = openSync(path, "wx+", 0o600);
    const header = Buffer.concat([magic, randomBytes(4)]);
    const segment = new Segment(path, descriptor, {
      salt: header.readUInt32LE(magic.length),
      size: 0,
    });
    segment.write(header);
    await segment.sync();
    return segment;
  }

  /** Opens the file; `undefined` if its creation was not finished, so that it holds nothing. */
  static open(path: string): Segment | undefined {
    const descriptor = openSync(path, "r+");
    const { size } = fstatSync(descriptor);
    const header = Buffer.alloc(fileHeaderSize);
    readSync(descriptor, header, 0, fileHeaderSize, 0);
    if (header.subarray(0, magic.length).equals(magic) && size >= fileHeaderSize) {
      return new Segment(path, descriptor, { salt: header.readUInt32LE(magic.length), size });
    }
    closeSync(descriptor);
    if (size <= fileHeaderSize) return undefined;
    throw damaged(path, 0);
  }

  get path(): string {
    return this.#path;
  }

  get size(): number {
    return this.#size;
  }

  /** Appends bytes, which are durable after the next `sync`. A failed write leaves the file as it was. */
  write(bytes: Uint8Array): void {
    try {
      let done = 0;
      while (done < bytes.length) {
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#size + done);
      }
    } catch (error) {
      this.truncate(this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Makes the file durable without blocking the event loop. */
  async sync(): Promise<void> {
    await synchronise(this.#descriptor);
  }

  rename(path: string): void {
    renameSync(this.#path, path);
    this.#path = path;
  }

  truncate(size: number): void {
    ftruncateSync(this.#descriptor, size);
    this.#size = size;
  }

  read(offset: number, length: number): Buffer {
    return this.#readInto(Buffer.allocUnsafe(length), offset);
  }

  /**
   * Visits each whole frame, valid only during the call, with its offset; returns where the last one ends.
   */
  readFrames(visit: (frame: Buffer, offset: number) => void): number {
    let offset = fileHeaderSize;
    let window = Buffer.allocUnsafe(readAhead);
    let ahead: Buffer = Buffer.alloc(0);
    const look = (bytes: number): boolean => {
      if (ahead.length >= bytes) return true;
      const left = this.#size - offset;
      if (left < bytes) return false;
      if (window.length < bytes) window = Buffer.allocUnsafe(bytes);
      ahead = this.#readInto(window.subarray(0, left), offset);
      return true;
    };
    while (look(frameHeaderSize)) {
      const size = frameSize(ahead, 0);
      if (size === undefined || !look(size) || !isWholeFrame(ahead, 0, this.salt)) break;
      visit(ahead.subarray(0, size), offset);
      ahead = ahead.subarray(size);
      offset += size;
    }
    return offset;
  }

  /**
   * Cuts off the rest of a write that was under way when the process died. A write begins only once the
   * previous one is durable; whole frames behind the broken one therefore mean another kind of damage, and
   * that acknowledged data would be lost.
   */
  cutTorn(end: number): void {
    if (end === this.#size) return;
    const rest = this.read(end, this.#size - end);
    if (findFrame(rest, 0, this.salt) >= 0) throw damaged(this.#path, end);
    this.truncate(end);
  }

  /** Keeps the file readable until the returned function is called. */
  hold(): () => void {
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
      this.#closeWhenUnused();
    };
  }

  /** Closes the file as soon as nobody reads it. */
  retire(): void {
    this.#retired = true;
    this.#closeWhenUnused();
  }

  #readInto(buffer: Buffer, offset: number): Buffer {
    let done = 0;
    while (done < buffer.length) {
      const count = readSync(this.#descriptor, buffer, done, buffer.length - done, offset + done);
      if (count === 0) throw damaged(this.#path, offset);
      done += count;
    }
    return buffer;
  }

  #closeWhenUnused(): void {
    if (this.#retired && this.#readers === 0) closeSync(this.#descriptor);
  }
}

export function damaged(path: string, offset: number): StoreError {
  return new StoreError(`Cannot read ${path}: it is damaged at byte ${offset}`, {
    reason: "damaged",
  });
}

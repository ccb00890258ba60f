// The acknowledged place: how far the log was acknowledged. A write torn by a crash was never acknowledged
// and is cut off; a log that ends before this place has lost data that clients count on. The place is written
// after the log is durable and never waited for, so that after a power loss it can lag behind, but never run
// ahead.
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

export interface AcknowledgedPlace {
  /** The number of the log. */
  readonly number: number;
  /** The offset at which the last acknowledged frame ends. */
  readonly size: number;
}

const fileName = "acknowledged";
const length = 24;

export class Acknowledged {
  readonly #descriptor: number;
  readonly #buffer = Buffer.alloc(length);
  #isBroken = false;

  constructor(directory: string) {
    this.#descriptor = openSync(
      join(directory, fileName),
      constants.O_RDWR | constants.O_CREAT,
      0o600,
    );
  }

  /** Reads the place; `undefined` if it is unknown. */
  read(): AcknowledgedPlace | undefined {
    const buffer = Buffer.alloc(length);
    if (readSync(this.#descriptor, buffer, 0, length, 0) < length) return undefined;
    if (buffer.readUInt32LE(16) !== crc32(buffer.subarray(0, 16))) return undefined;
    return { number: buffer.readUIntLE(0, 6), size: buffer.readUIntLE(8, 6) };
  }

  write({ number, size }: AcknowledgedPlace): void {
    if (this.#isBroken) return;
    const buffer = this.#buffer;
    buffer.writeUIntLE(number, 0, 6);
    buffer.writeUIntLE(size, 8, 6);
    buffer.writeUInt32LE(crc32(buffer.subarray(0, 16)), 16);
    try {
      writeSync(this.#descriptor, buffer, 0, length, 0);
    } catch {
      // The log itself is durable. A place that lags behind detects fewer losses, but raises no false alarm.
      this.#isBroken = true;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

// One stream of a SPDY connection. Kubernetes' clients neither send window updates nor heed them, so the
// connection itself provides the flow control: see SpdySession.
import { Duplex } from "node:stream";
import type { Headers } from "./headers.ts";

export interface StreamPort {
  /** Sends data, and calls back when there is room for more. */
  send(data: Buffer, fin: boolean, sent: (error?: Error) => void): void;
  reset(): void;
  gone(): void;
}

const maximumFrame = 32 * 1024;

export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #port: StreamPort;
  #isFinishedThere = false;
  #isFinishedHere = false;
  #wanted: (() => void) | undefined;

  constructor(id: number, headers: Headers, port: StreamPort) {
    super({ allowHalfOpen: true });
    this.id = id;
    this.headers = headers;
    this.#port = port;
  }

  /** Delivers data; resolves when the reader wants more. */
  async received(data: Buffer): Promise<void> {
    if (this.push(data)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wanted = resolve;
    await promise;
  }

  otherEndFinished(): void {
    if (this.#isFinishedThere) return;
    this.#isFinishedThere = true;
    this.push(null);
    this.#leaveWhenDone();
  }

  /** Destroys the stream: the peer has reset it, or the connection is lost. */
  abandoned(error?: Error): void {
    this.#isFinishedThere = true;
    this.#isFinishedHere = true;
    this.destroy(error);
  }

  override _read(): void {
    this.#wantMore();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const last = Math.max(0, Math.ceil(chunk.length / maximumFrame) - 1);
    for (let index = 0; index <= last; index += 1) {
      const part = chunk.subarray(index * maximumFrame, (index + 1) * maximumFrame);
      this.#port.send(part, false, index === last ? done : () => undefined);
    }
  }

  override _final(done: (error?: Error) => void): void {
    this.#isFinishedHere = true;
    this.#port.send(Buffer.alloc(0), true, done);
    this.#leaveWhenDone();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isFinishedHere || !this.#isFinishedThere) this.#port.reset();
    this.#isFinishedHere = true;
    this.#isFinishedThere = true;
    this.#wantMore();
    this.#port.gone();
    done(error);
  }

  #wantMore(): void {
    this.#wanted?.();
    this.#wanted = undefined;
  }

  #leaveWhenDone(): void {
    if (this.#isFinishedHere && this.#isFinishedThere) this.#port.gone();
  }
}

// A SPDY/3.1 connection: many streams over one socket, each an ordinary duplex stream. A stream whose reader
// is slow holds the whole connection back, as it does in the servers these clients know.
import type { Duplex } from "node:stream";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import { HeaderCodec, type Headers } from "./headers.ts";
import { SpdyStream } from "./stream.ts";

export interface SessionOptions {
  /** Called for each stream that the peer opens. */
  onStream(stream: SpdyStream): void;
  /** Whether this end is the client: clients open streams with odd numbers, servers with even ones. */
  readonly isClient?: boolean;
}

const cancel = 5;
const refused = 3;

export class SpdySession {
  /** Resolves when the connection is over; never rejects. */
  readonly closed: Promise<void>;
  readonly #socket: Duplex;
  readonly #options: SessionOptions;
  readonly #headers = new HeaderCodec();
  readonly #reader = new FrameReader();
  readonly #streams = new Map<number, SpdyStream>();
  /** The queue of incoming frames, handled in order: header blocks depend on those before them. */
  #incoming: Promise<void> = Promise.resolve();
  #outgoing: Promise<void> = Promise.resolve();
  #nextStream: number;
  #isOver = false;

  constructor(socket: Duplex, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#nextStream = options.isClient === true ? 1 : 2;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => {
      this.destroy();
      resolve();
    });
  }

  /** Opens a stream with headers as Kubernetes uses them (`streamtype`, `port`, `requestid`). */
  open(headers: Headers): SpdyStream {
    const stream = this.#addStream(this.#nextStream, headers);
    this.#nextStream += 2;
    this.#sendHeaders("synStream", stream.id, headers);
    return stream;
  }

  /** Sends GOAWAY and closes the socket once everything is written. */
  end(): void {
    if (this.#isOver) return;
    this.#send({ type: "goAway", lastStream: 0, status: 0 });
    void this.#outgoing.then(() => this.#socket.end());
  }

  destroy(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stream of this.#streams.values()) stream.abandoned(error);
    this.#streams.clear();
    this.#headers.close();
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#socket.pause();
    this.#incoming = this.#incoming
      .then(() => this.#handleAll(chunk))
      .catch((error: unknown) => this.destroy(error as Error));
  }

  async #handleAll(chunk: Buffer): Promise<void> {
    if (this.#isOver) return;
    for (const frame of this.#reader.push(chunk)) await this.#handle(frame);
    this.#socket.resume();
  }

  async #handle(frame: Frame): Promise<void> {
    switch (frame.type) {
      case "synStream":
        await this.#accept(frame);
        return;
      case "synReply":
      case "headers":
        // The block must pass through the codec, whose state it changes, even though its content is not used.
        await this.#headers.decompress(frame.headers);
        if (frame.fin) this.#streams.get(frame.stream)?.otherEndFinished();
        return;
      case "data": {
        const stream = this.#streams.get(frame.stream);
        if (stream === undefined) return;
        if (frame.data.length > 0) await stream.received(frame.data);
        if (frame.fin) stream.otherEndFinished();
        return;
      }
      case "rstStream":
        this.#streams.get(frame.stream)?.abandoned();
        this.#streams.delete(frame.stream);
        return;
      case "ping":
        // The parity of the id tells the peer's pings, which are answered, from replies to ours.
        if (frame.id % 2 === (this.#options.isClient === true ? 0 : 1)) this.#send(frame);
        return;
      case "windowUpdate":
      case "goAway":
      case "settings":
        return;
    }
  }

  async #accept(frame: Frame & { type: "synStream" }): Promise<void> {
    const headers = await this.#headers.decompress(frame.headers);
    if (this.#streams.has(frame.stream)) {
      this.#send({ type: "rstStream", stream: frame.stream, status: refused });
      return;
    }
    const stream = this.#addStream(frame.stream, headers);
    this.#sendHeaders("synReply", frame.stream, new Map());
    if (frame.fin) stream.otherEndFinished();
    this.#options.onStream(stream);
  }

  #addStream(id: number, headers: Headers): SpdyStream {
    const stream = new SpdyStream(id, headers, {
      send: (data, fin, sent) => this.#send({ type: "data", stream: id, fin, data }, sent),
      reset: () => this.#send({ type: "rstStream", stream: id, status: cancel }),
      gone: () => this.#streams.delete(id),
    });
    // A broken connection emits an error on each of its streams, also on those without a listener.
    stream.on("error", () => undefined);
    this.#streams.set(id, stream);
    return stream;
  }

  #sendHeaders(type: "synStream" | "synReply", stream: number, headers: Headers): void {
    this.#enqueue(async () => {
      if (this.#isOver) return;
      const block = await this.#headers.compress(headers);
      this.#socket.write(encodeFrame({ type, stream, fin: false, headers: block }));
    });
  }

  #send(frame: Frame, sent: (error?: Error) => void = () => undefined): void {
    this.#enqueue(() => {
      if (this.#isOver || !this.#socket.writable)
        sent(new Error("Cannot send: the connection is closed"));
      else this.#socket.write(encodeFrame(frame), (error) => sent(error ?? undefined));
    });
  }

  /** Queues a write: compression is asynchronous, and later writes must not overtake it. */
  #enqueue(write: () => void | Promise<void>): void {
    this.#outgoing = this.#outgoing
      .then(write)
      .catch((error: unknown) => this.destroy(error as Error));
  }
}

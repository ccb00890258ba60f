// A WebSocket whose messages tell a channel in their first byte; as text, in base64, for clients in browsers.
import { Writable } from "node:stream";
import type { WebSocket } from "ws";

export class ChannelSocket {
  readonly #webSocket: WebSocket;
  readonly #isText: boolean;
  /** Settles when the client is gone. */
  readonly closed: Promise<void>;

  constructor(webSocket: WebSocket, { isText }: { readonly isText: boolean }) {
    this.#webSocket = webSocket;
    this.#isText = isText;
    this.closed = new Promise((resolve) => webSocket.once("close", () => resolve()));
    // ws emits "close" after every error.
    webSocket.on("error", () => webSocket.terminate());
  }

  /** Calls back with each message; while the listener's promise is pending, the client is held back. */
  onMessage(listener: (channel: number, data: Buffer) => Promise<void> | undefined): void {
    this.#webSocket.on("message", (message: Buffer) => {
      const taken = listener(...this.#decoded(message));
      if (taken === undefined) return;
      this.#webSocket.pause();
      void taken.then(() => this.#webSocket.resume());
    });
  }

  send(channel: number, data: Buffer, done?: (error?: Error | null) => void): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) done?.();
    else this.#webSocket.send(this.#encoded(channel, data), (error) => done?.(error ?? null));
  }

  /** Returns a stream that writes to a channel. */
  output(channel: number): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => this.send(channel, chunk, done),
    });
  }

  close(): void {
    this.#webSocket.close(1000);
  }

  #decoded(message: Buffer): [number, Buffer] {
    if (!this.#isText) return [message[0] ?? 0, message.subarray(1)];
    const text = message.toString();
    return [text.charCodeAt(0) - zero, Buffer.from(text.slice(1), "base64")];
  }

  #encoded(channel: number, data: Buffer): Buffer | string {
    if (!this.#isText) return Buffer.concat([Buffer.of(channel), data]);
    return `${String.fromCharCode(zero + channel)}${data.toString("base64")}`;
  }
}

const zero = "0".charCodeAt(0);

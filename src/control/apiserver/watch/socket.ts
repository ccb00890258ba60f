// A watch over WebSocket: each event is one message.
import { Writable } from "node:stream";
import type { WebSocket } from "ws";
import { acceptWebSocket, type UpgradeRequest } from "../../../base/streaming/handshake.ts";
import type { HttpResponse } from "../http/message.ts";

const newline = "\n".charCodeAt(0);

/** The response that a watch writes its lines to. The connection is upgraded when the headers are sent. */
export class WatchSocket extends Writable implements HttpResponse {
  readonly #upgrade: UpgradeRequest;
  #accepted: Promise<WebSocket> | undefined;
  /** The bytes after the last end of a line. */
  #rest: Buffer = Buffer.alloc(0);
  statusCode = 101;

  constructor(upgrade: UpgradeRequest) {
    super();
    this.#upgrade = upgrade;
    upgrade.socket.once("close", () => this.destroy());
  }

  get headersSent(): boolean {
    return this.#accepted !== undefined;
  }

  writeHead(): void {
    this.#accepted = acceptWebSocket(this.#upgrade, [""]).then(({ webSocket }) => webSocket);
    this.#accepted.then(
      (webSocket) => webSocket.on("error", () => webSocket.terminate()),
      (error: Error) => this.destroy(error),
    );
  }

  setHeader(): void {
    // An upgraded connection has no further headers.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(newline);
    this.#rest = bytes.subarray(end + 1);
    const lines = bytes.subarray(0, Math.max(0, end)).toString().split("\n").filter(Boolean);
    void settle(this.#send(lines), done);
  }

  override _final(done: (error?: Error) => void): void {
    void settle(this.#close(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#upgrade.socket.destroy();
    done(error);
  }

  async #close(): Promise<void> {
    (await this.#accepted)?.close(1000);
  }

  async #send(lines: readonly string[]): Promise<void> {
    const webSocket = await this.#accepted;
    for (const line of lines) {
      await new Promise<void>((resolve) => {
        if (webSocket?.readyState !== webSocket?.OPEN) resolve();
        else webSocket?.send(line, () => resolve());
      });
    }
  }
}

/** Calls back when the work has ended, as streams of Node want it. */
async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    return done(error as Error);
  }
  done();
}

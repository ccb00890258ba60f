import { createServer, type Server, type Socket } from "node:net";
import type { Log } from "../../../base/program/log.ts";
import type { Respond } from "./respond.ts";

const idleMs = 10_000;
const mostConnections = 1_000;
/** The limit of queries of one connection under way at once; reading pauses until one is done. */
const mostPending = 128;

/** Answers TCP queries, each with its length in front, until the client is done. */
export function createStreamServer({ respond, log }: { respond: Respond; log: Log }): Server {
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    new Conversation(socket, { respond, log }).begin();
  });
  server.maxConnections = mostConnections;
  return server;
}

class Conversation {
  readonly #socket: Socket;
  readonly #respond: Respond;
  readonly #log: Log;
  #received: Buffer = Buffer.alloc(0);
  #pending = 0;
  #isOver = false;

  constructor(socket: Socket, { respond, log }: { respond: Respond; log: Log }) {
    this.#socket = socket;
    this.#respond = respond;
    this.#log = log;
  }

  begin(): void {
    const socket = this.#socket;
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on("error", (error) => this.#log.debug("A connection broke", { error }));
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#readOn();
    });
    socket.on("end", () => {
      this.#isOver = true;
      this.#endIfDone();
    });
    socket.on("drain", () => this.#readOn());
  }

  #readOn(): void {
    while (this.#received.length >= 2 && !this.#isBusy()) {
      const end = 2 + this.#received.readUInt16BE(0);
      if (this.#received.length < end) break;
      const message = this.#received.subarray(2, end);
      this.#received = this.#received.subarray(end);
      this.#answer(message);
    }
    if (this.#isBusy()) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
    this.#endIfDone();
  }

  #isBusy(): boolean {
    return this.#pending >= mostPending || this.#socket.writableNeedDrain;
  }

  #answer(message: Buffer): void {
    const { remoteAddress = "", remotePort = 0 } = this.#socket;
    const from = { address: remoteAddress, port: remotePort };
    const answer = this.#respond(message, { protocol: "tcp", from });
    if (!(answer instanceof Promise)) {
      this.#send(answer);
      return;
    }
    this.#pending += 1;
    answer
      .then((late) => this.#send(late))
      .catch((error: unknown) => this.#log.error("Cannot answer a question", { error }))
      .finally(() => {
        this.#pending -= 1;
        this.#readOn();
      });
  }

  /** Sends an answer; a message that must not be answered ends the connection. */
  #send(answer: Buffer | undefined): void {
    if (answer === undefined) {
      this.#socket.destroy();
      return;
    }
    if (!this.#socket.writable) return;
    const framed = Buffer.allocUnsafe(2 + answer.length);
    framed.writeUInt16BE(answer.length, 0);
    framed.set(answer, 2);
    this.#socket.write(framed);
  }

  #endIfDone(): void {
    if (this.#isOver && this.#pending === 0 && !this.#isBusy()) this.#socket.end();
  }
}

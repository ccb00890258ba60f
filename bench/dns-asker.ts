// Asks for the addresses of one name, over and over.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import * as packet from "dns-packet";

const patience = 30_000;

export class Asker implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #question: Buffer;

  private constructor(socket: Socket, name: string) {
    this.#socket = socket;
    this.#question = packet.encode({ type: "query", id: 1, questions: [{ name, type: "A" }] });
  }

  static async open(port: number, name: string): Promise<Asker> {
    const socket = createSocket("udp4");
    socket.connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Asker(socket, name);
  }

  /** Resolves with the first answer that has the address. */
  async until(address: string): Promise<void> {
    const signal = AbortSignal.timeout(patience);
    for (;;) {
      const answered = once(this.#socket, "message", { signal }) as Promise<[Buffer]>;
      this.#socket.send(this.#question);
      const [message] = await answered;
      const { answers = [] } = packet.decode(message);
      if (answers.some((answer) => answer.type === "A" && answer.data === address)) return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }
}

// A bare HTTP/1.1 client on one kept TLS connection: the generator shares the machine with the servers
// it measures, so it must cost little.
import { once } from "node:events";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";

export interface Target {
  readonly port: number;
  readonly tls: ConnectionOptions;
  /** Instead of a client certificate. */
  readonly token?: string;
}

export interface Reply {
  readonly code: number;
  readonly body: Buffer;
}

export class Connection implements Disposable {
  readonly #socket: TLSSocket;
  readonly #head: string;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: TLSSocket, { token }: Target) {
    this.#socket = socket;
    this.#head = `Host: localhost\r\n${token === undefined ? "" : `Authorization: Bearer ${token}\r\n`}`;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("the connection was closed")));
  }

  static async open(target: Target): Promise<Connection> {
    const options = { ...target.tls, host: "127.0.0.1", port: target.port };
    const socket = connect({ ...options, servername: "localhost", ALPNProtocols: ["http/1.1"] });
    await once(socket, "secureConnect");
    socket.setNoDelay(true);
    return new Connection(socket, target);
  }

  /** One at a time. */
  request(method: string, path: string, body = ""): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const length =
        body === ""
          ? ""
          : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${length}\r\n${body}`);
    });
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const reply = parseReply(this.#received);
    if (reply === undefined) return;
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(reply);
  }
}

/** `undefined` until all of it is there. */
function parseReply(data: Buffer): Reply | undefined {
  const end = data.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = data.toString("latin1", 0, end).toLowerCase();
  const code = Number(head.slice(9, 12));
  const length = /content-length: (\d+)/.exec(head)?.[1];
  const start = end + 4;
  if (length !== undefined) {
    const size = Number(length);
    return data.length < start + size
      ? undefined
      : { code, body: data.subarray(start, start + size) };
  }
  const isOver = data.subarray(-7).equals(Buffer.from("\r\n0\r\n\r\n"));
  return isOver ? { code, body: data.subarray(start) } : undefined;
}

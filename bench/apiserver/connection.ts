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
  #chunks: Buffer[] = [];
  /** How much there must be before it is worth looking at again. */
  #wanted = 0;
  #size = 0;
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
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted && !chunk.subarray(-5).equals(lastChunk)) return;
    const data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const reply = parseReply(data);
    if (typeof reply === "number") {
      this.#chunks = [data];
      this.#wanted = reply;
      return;
    }
    this.#chunks = [];
    this.#wanted = 0;
    this.#size = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(reply);
  }
}

const lastChunk = Buffer.from("0\r\n\r\n");

/** The reply, or how many bytes to wait for before looking again. */
function parseReply(data: Buffer): Reply | number {
  const end = data.indexOf("\r\n\r\n");
  if (end < 0) return data.length + 1;
  const head = data.toString("latin1", 0, end).toLowerCase();
  const code = Number(head.slice(9, 12));
  const length = /content-length: (\d+)/.exec(head)?.[1];
  const start = end + 4;
  if (length !== undefined) {
    const whole = start + Number(length);
    return data.length < whole ? whole : { code, body: data.subarray(start, whole) };
  }
  const isOver = data.subarray(-7).equals(Buffer.from("\r\n0\r\n\r\n"));
  // A chunked answer says nothing of its length: look again at what seems to be its end.
  return isOver ? { code, body: data.subarray(start) } : Number.POSITIVE_INFINITY;
}

// A server that a test controls, and transports to it.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "../../../../base/host/clock.system.ts";
import type { Clock } from "../../../../base/host/clock.ts";
import { FakeRandom } from "../../../../base/host/random.fake.ts";
import { type Credentials, staticCredentials } from "../../access.ts";
import { HttpTransport, type TransportOptions } from "../transport.ts";

export class Peer {
  /** The handler of requests. */
  handler: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  readonly requests: IncomingMessage[] = [];
  readonly sockets = new Set<Socket>();
  readonly server = createServer((request, response) => {
    this.requests.push(request);
    this.handler(request, response);
  });
  readonly #transports: HttpTransport[] = [];

  async start(): Promise<void> {
    this.server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
  }

  async stop(): Promise<void> {
    for (const transport of this.#transports) transport.close();
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, "close");
  }

  connect(
    options: Partial<TransportOptions> = {},
    credentials: Credentials = staticCredentials({}),
  ): HttpTransport {
    const { port } = this.server.address() as AddressInfo;
    const server = new URL(`http://127.0.0.1:${port}/base/`);
    const access = { server, credentials, namespace: "default" };
    const common = { clock: impatientClock(), random: new FakeRandom(), userAgent: "test/1" };
    const transport = new HttpTransport({ access, ...common, ...options });
    this.#transports.push(transport);
    return transport;
  }
}

/** A clock whose sleeps end at once and are recorded. */
export function impatientClock(): Clock & { slept: number[] } {
  const slept: number[] = [];
  return {
    ...systemClock,
    slept,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
}

export function answer(
  response: ServerResponse,
  code: number,
  { body = {}, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): void {
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function failure(code: number, reason: string): object {
  return { kind: "Status", status: "Failure", message: `no: ${reason}`, reason, code };
}

// The end of a server that others stand in for: what has arrived is answered, and nothing new is let in.
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Clock } from "../../../base/host/clock.ts";

/** Connections by what has come through them. */
export class Arrivals {
  /** Connections that have sent no request yet, by address and port. */
  readonly #silent = new Map<string, Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #isLeaving = false;

  /** Whether answers tell clients that the connection ends. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  get silent(): number {
    return this.#silent.size;
  }

  opened(socket: Socket): void {
    const key = keyOf(socket);
    this.#silent.set(key, socket);
    socket.once("close", () => {
      if (this.#silent.get(key) === socket) this.#silent.delete(key);
    });
  }

  asked(socket: Pick<Socket, "remoteAddress" | "remotePort">): void {
    this.#silent.delete(keyOf(socket));
  }

  session(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    if (this.#isLeaving) session.close();
  }

  /** Tells every client to go elsewhere with its next request. */
  leave(): void {
    this.#isLeaving = true;
    for (const session of this.#sessions) session.close();
  }
}

export interface DrainOptions {
  readonly servers: readonly Http2SecureServer[];
  readonly arrivals: Arrivals;
  /** The number of requests that are being answered. */
  readonly underWay: () => number;
  readonly clock: Clock;
}

/** How long requests may take to end, and how long a new connection to send its request. */
const limits = { requestsMs: 10_000, silentMs: 3_000 };
const pauseMs = 10;

/** Lets in nothing new, and waits until what has arrived is answered, as long as that is worth it. */
export async function drain({ servers, arrivals, underWay, clock }: DrainOptions): Promise<void> {
  const begun = clock.monotonic();
  for (const server of servers) server.close();
  arrivals.leave();
  for (;;) {
    const passed = clock.monotonic() - begun;
    const isSilent = arrivals.silent === 0 || passed > limits.silentMs;
    if ((underWay() === 0 && isSilent) || passed > limits.requestsMs) return;
    await clock.sleep(pauseMs);
  }
}

function keyOf({
  remoteAddress,
  remotePort,
}: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}

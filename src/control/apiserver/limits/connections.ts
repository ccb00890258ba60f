// Connections of clients. Each takes a descriptor and memory, so there are only so many in all and from one
// address; when they run out, idle ones go first, those of whoever has most.
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

export interface ConnectionOptions {
  readonly inAll: number;
  readonly perAddress: number;
}

/** Descriptors that the store, logs, threads and connections to nodes always find. */
const reserved = 512;
/** Each connection takes memory as well. */
const mostConnections = 10_000;

interface Connection {
  readonly address: string;
  readonly socket: Socket;
  requests: number;
}

export class ConnectionLimits {
  readonly #options: ConnectionOptions;
  /** By address, the oldest first; each by its port there. */
  readonly #byAddress = new Map<string, Map<number, Connection>>();
  #size = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** A connection that was just accepted: it is closed at once when there is no room for it. */
  opened(socket: Socket): void {
    const { remoteAddress: address, remotePort: port } = socket;
    if (address === undefined || port === undefined) return;
    const own = this.#byAddress.get(address) ?? new Map<number, Connection>();
    if (own.size >= this.#options.perAddress && !dropIdle(own)) {
      socket.destroy();
      return;
    }
    if (this.#size >= this.#options.inAll && !dropIdle(this.#largest())) {
      socket.destroy();
      return;
    }
    const connection = { address, socket, requests: 0 };
    own.set(port, connection);
    this.#byAddress.set(address, own);
    this.#size++;
    socket.once("close", () => this.#closed(connection, port));
  }

  /** A request on a connection keeps it from being idle; the function returned ends that. */
  busy(socket: {
    remoteAddress?: string | undefined;
    remotePort?: number | undefined;
  }): () => void {
    const { remoteAddress = "", remotePort = 0 } = socket;
    const connection = this.#byAddress.get(remoteAddress)?.get(remotePort);
    if (connection === undefined) return () => undefined;
    connection.requests++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      connection.requests--;
    };
  }

  #closed({ address, socket }: Connection, port: number): void {
    const own = this.#byAddress.get(address);
    if (own?.get(port)?.socket !== socket) return;
    own.delete(port);
    this.#size--;
    if (own.size === 0) this.#byAddress.delete(address);
  }

  #largest(): Map<number, Connection> {
    let largest = new Map<number, Connection>();
    for (const own of this.#byAddress.values()) if (own.size > largest.size) largest = own;
    return largest;
  }
}

/** Closes the connection that has been there longest without anything under way. */
function dropIdle(connections: ReadonlyMap<number, Connection>): boolean {
  for (const { requests, socket } of connections.values()) {
    if (requests > 0 || socket.destroyed) continue;
    socket.destroy();
    return true;
  }
  return false;
}

/** As many as there are descriptors for, but half of them for one address. */
export function usualConnections(descriptors = descriptorLimit()): ConnectionOptions {
  const inAll = Math.max(64, Math.min(mostConnections, descriptors - reserved));
  return { inAll, perAddress: Math.max(32, Math.floor(inAll / 2)) };
}

function descriptorLimit(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
}

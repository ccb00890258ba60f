// Limits of client connections. Each takes a descriptor and memory, so they are limited in all and per
// address; at the limit, idle ones are closed first, those of the address that has most.
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

export interface ConnectionOptions {
  readonly inAll: number;
  readonly perAddress: number;
}

/** The descriptors reserved for the store, logs, threads and connections to nodes. */
const reserved = 512;
/** The most connections in all, whatever the number of descriptors, since each takes memory as well. */
const mostConnections = 10_000;

interface Connection {
  readonly address: string;
  readonly socket: Socket;
  requests: number;
}

export class ConnectionLimits {
  readonly #options: ConnectionOptions;
  /** The connections by address and port, the oldest first. */
  readonly #byAddress = new Map<string, Map<number, Connection>>();
  #size = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Counts an accepted connection, or closes it when there is no room for it. */
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

  /** Marks a connection as busy during a request; the function returned ends that. */
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

/** Closes the oldest connection without a request under way; returns whether there was one. */
function dropIdle(connections: ReadonlyMap<number, Connection>): boolean {
  for (const { requests, socket } of connections.values()) {
    if (requests > 0 || socket.destroyed) continue;
    socket.destroy();
    return true;
  }
  return false;
}

/** Returns the default limits: as many as there are descriptors for, and half of that per address. */
export function usualConnections(descriptors = descriptorLimit()): ConnectionOptions {
  const inAll = Math.max(64, Math.min(mostConnections, descriptors - reserved));
  return { inAll, perAddress: Math.max(32, Math.floor(inAll / 2)) };
}

function descriptorLimit(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
}

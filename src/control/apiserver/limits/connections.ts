// Limits of client connections. Each takes a descriptor and memory, so they are limited in all, per address
// and per user; at the limit, idle ones are closed first, those of the address that has most.
import type { Socket } from "node:net";
import type { User } from "../access.ts";
import { tooManyRequests } from "../errors.ts";

export interface ConnectionOptions {
  readonly inAll: number;
  readonly perAddress: number;
  /** The most connections of one user: behind a load balancer all users have its address. */
  readonly perUser: number;
}

/** The descriptors reserved for the store, logs, threads and connections to nodes. */
const reserved = 512;
/** The most connections in all, whatever the number of descriptors, since each takes memory as well. */
const mostConnections = 10_000;

interface Connection {
  readonly address: string;
  readonly socket: Socket;
  requests: number;
  /** The user of the latest request. */
  user: string | undefined;
}

/** Who sends a request; users without a limit are exempt. */
export interface ConnectionUser {
  readonly name: string;
  readonly isExempt: boolean;
}

export class ConnectionLimits {
  readonly #options: ConnectionOptions;
  /** The connections by address and port, the oldest first. */
  readonly #byAddress = new Map<string, Map<number, Connection>>();
  readonly #byUser = new Map<string, Set<Connection>>();
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
    if (own.size >= this.#options.perAddress && !dropIdle(own.values())) {
      socket.destroy();
      return;
    }
    if (this.#size >= this.#options.inAll && !dropIdle(this.#largest().values())) {
      socket.destroy();
      return;
    }
    const connection: Connection = { address, socket, requests: 0, user: undefined };
    own.set(port, connection);
    this.#byAddress.set(address, own);
    this.#size++;
    socket.once("close", () => this.#closed(connection, port));
  }

  /**
   * Marks a connection as busy during a request of a user; the function returned ends that. Throws when the
   * user has too many connections and none of the others is idle.
   */
  busy(socket: Pick<Socket, "remoteAddress" | "remotePort">, user: ConnectionUser): () => void {
    const { remoteAddress = "", remotePort = 0 } = socket;
    const connection = this.#byAddress.get(remoteAddress)?.get(remotePort);
    if (connection === undefined) return () => undefined;
    this.#attribute(connection, user);
    connection.requests++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      connection.requests--;
    };
  }

  #attribute(connection: Connection, { name, isExempt }: ConnectionUser): void {
    if (connection.user === name) return;
    const own = this.#byUser.get(name) ?? new Set<Connection>();
    if (own.size >= this.#options.perUser && !isExempt && !dropIdle(own)) {
      const limit = this.#options.perUser;
      throw tooManyRequests(`Too many connections of one user: the limit is ${limit}`, 1);
    }
    this.#unattribute(connection);
    connection.user = name;
    own.add(connection);
    this.#byUser.set(name, own);
  }

  #unattribute(connection: Connection): void {
    const own = this.#byUser.get(connection.user ?? "");
    own?.delete(connection);
    if (own?.size === 0) this.#byUser.delete(connection.user ?? "");
    connection.user = undefined;
  }

  #closed(connection: Connection, port: number): void {
    const { address, socket } = connection;
    this.#unattribute(connection);
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
function dropIdle(connections: Iterable<Connection>): boolean {
  for (const { requests, socket } of connections) {
    if (requests > 0 || socket.destroyed) continue;
    socket.destroy();
    return true;
  }
  return false;
}

/**
 * Returns the default limits: as many as there are descriptors for, half of that per address and a quarter
 * per user.
 */
export function usualConnections(descriptors: number): ConnectionOptions {
  const inAll = Math.max(64, Math.min(mostConnections, descriptors - reserved));
  const share = (parts: number) => Math.max(32, Math.floor(inAll / parts));
  return { inAll, perAddress: share(2), perUser: share(4) };
}

/** Returns who a user is to the limits; administrators have none. */
export function connectionUser({ name, groups }: User): ConnectionUser {
  return { name, isExempt: groups.includes("system:masters") };
}

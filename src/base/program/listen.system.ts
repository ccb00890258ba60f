// Listens on several addresses at once, of both families, or on unix sockets.

import { once } from "node:events";
import { chmod, lstat, rm } from "node:fs/promises";
import { connect, type ListenOptions, type Server } from "node:net";

/** An address to listen on: "" is every address, "localhost" the loopback, each of every family. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly reason: string;

  constructor(address: ListenAddress, cause: unknown) {
    const code = errorCode(cause);
    super(`Cannot listen on ${formatListenAddress(address)}: ${explain(code, cause)}`, { cause });
    this.reason = code;
  }
}

/**
 * Opens one server per address and returns them once all listen; when one cannot, none does. For "" and
 * "localhost", a family the machine lacks is skipped as long as the other is there.
 */
export async function listenOn<S extends Server>(
  addresses: readonly ListenAddress[],
  createServer: () => S,
): Promise<S[]> {
  const servers: S[] = [];
  try {
    for (const address of addresses) servers.push(...(await listenOnOne(address, createServer)));
  } catch (error) {
    await Promise.all(servers.map(close));
    throw error;
  }
  return servers;
}

/** The address that a server listens on: `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`. */
export function boundAddress(server: Server): ListenAddress {
  const bound = server.address();
  if (bound === null) throw new Error("Cannot tell where a server listens: it does not");
  return typeof bound === "string" ? { path: bound } : { host: bound.address, port: bound.port };
}

export function formatListenAddress(address: ListenAddress): string {
  if ("path" in address) return `unix:${address.path}`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `${host}:${address.port}`;
}

const wildcards = new Map([
  ["", ["::", "0.0.0.0"]],
  ["localhost", ["::1", "127.0.0.1"]],
]);

const portsTried = 20;

async function listenOnOne<S extends Server>(
  address: ListenAddress,
  createServer: () => S,
): Promise<S[]> {
  if ("path" in address) return [await listenOnPath(address, createServer)];
  for (let tries = 1; ; tries++) {
    try {
      return await listenOnHosts(address, createServer);
    } catch (error) {
      // The port that the kernel chose in one family may be taken in the other.
      const isTaken = error instanceof ListenError && error.reason === "EADDRINUSE";
      if (!isTaken || address.port !== 0 || tries === portsTried) throw error;
    }
  }
}

async function listenOnHosts<S extends Server>(
  address: { readonly host: string; readonly port: number },
  createServer: () => S,
): Promise<S[]> {
  const servers: S[] = [];
  const missing: unknown[] = [];
  for (const host of wildcards.get(address.host) ?? [address.host]) {
    try {
      // Port 0 means one free port for both families.
      const port = address.port || portOf(servers[0]);
      servers.push(await open(createServer(), { host, port, ipv6Only: true }));
    } catch (error) {
      if (!isFamilyMissing(error) || !wildcards.has(address.host)) {
        await Promise.all(servers.map(close));
        throw new ListenError({ host, port: address.port }, error);
      }
      missing.push(error);
    }
  }
  if (servers.length === 0) throw new ListenError(address, missing[0]);
  return servers;
}

function portOf(server: Server | undefined): number {
  const bound = server === undefined ? undefined : boundAddress(server);
  return bound !== undefined && "port" in bound ? bound.port : 0;
}

/** Listens on a unix socket; replaces the socket of a process that died, never that of one that answers. */
async function listenOnPath<S extends Server>(
  address: { readonly path: string },
  createServer: () => S,
): Promise<S> {
  try {
    return await openPath(createServer(), address.path);
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE" || !(await isAbandonedSocket(address.path))) {
      throw new ListenError(address, error);
    }
  }
  await rm(address.path);
  return openPath(createServer(), address.path);
}

async function openPath<S extends Server>(server: S, path: string): Promise<S> {
  await open(server, { path });
  await chmod(path, 0o600);
  return server;
}

async function open<S extends Server>(server: S, options: ListenOptions): Promise<S> {
  server.listen(options);
  await once(server, "listening");
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}

async function isAbandonedSocket(path: string): Promise<boolean> {
  return (await lstat(path)).isSocket() && !(await answers(path));
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    return errorCode(error) !== "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

function isFamilyMissing(error: unknown): boolean {
  return ["EAFNOSUPPORT", "EADDRNOTAVAIL"].includes(errorCode(error));
}

function explain(code: string, cause: unknown): string {
  if (code === "EADDRINUSE") return "another process listens there";
  if (code === "EACCES") return "permission denied";
  if (code === "EADDRNOTAVAIL") return "this machine does not have the address";
  return cause instanceof Error ? cause.message : String(cause);
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "Unknown";
}

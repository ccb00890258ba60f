import { createServer, type Server } from "node:net";
import { ListenError, listenOn } from "../../base/program/listen.system.ts";

/** A socket that listens on the loopback of this machine, for another process to accept from. */
export interface LoopbackSocket {
  readonly port: number;
  readonly descriptor: number;
  /** Closes this process's copy of the socket: processes that inherited it keep theirs. */
  close(): void;
}

/** Opens a socket at the first of these ports that is free. */
export async function openLoopbackSocket(ports: readonly number[]): Promise<LoopbackSocket> {
  for (const [index, port] of ports.entries()) {
    try {
      const [server] = await listenOn([{ host: "127.0.0.1", port }], createServer);
      if (server !== undefined) return socketOf(server);
    } catch (error) {
      const isTaken = error instanceof ListenError && error.reason === "EADDRINUSE";
      if (!isTaken || index === ports.length - 1) throw error;
    }
  }
  throw new Error("Cannot listen: no port was named");
}

function socketOf(server: Server): LoopbackSocket {
  const address = server.address();
  const handle: unknown = "_handle" in server ? server._handle : undefined;
  if (typeof address !== "object" || address === null) throw noDescriptor();
  if (typeof handle !== "object" || handle === null || !("fd" in handle)) throw noDescriptor();
  if (typeof handle.fd !== "number" || handle.fd < 0) throw noDescriptor();
  return { port: address.port, descriptor: handle.fd, close: () => void server.close() };
}

function noDescriptor(): Error {
  return new Error("Cannot pass a listening socket on: this Node does not tell its descriptor");
}

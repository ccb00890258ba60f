// Listens over UDP and TCP on the same addresses.

import type { Socket } from "node:dgram";
import { once } from "node:events";
import type { Socket as Connection, Server } from "node:net";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
  listenOn,
} from "../../../base/program/listen.system.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { answerDatagrams } from "./datagrams.system.ts";
import type { Respond } from "./respond.ts";
import { createStreamServer } from "./streams.system.ts";

export interface Listeners extends Part {
  /** The addresses it listens on, such as `127.0.0.1:53`. */
  readonly addresses: readonly string[];
}

/** Opens the sockets, which listen when this resolves, and answers until the signal given to `run` aborts. */
export async function openListeners(
  addresses: readonly ListenAddress[],
  handling: { respond: Respond; log: Log },
): Promise<Listeners> {
  const open = new Set<Connection>();
  const servers = await listenOn(addresses, () => {
    const server = createStreamServer(handling);
    server.on("connection", (connection) => {
      open.add(connection);
      connection.once("close", () => open.delete(connection));
    });
    return server;
  });
  const sockets: Socket[] = [];
  const close = async (): Promise<void> => {
    for (const connection of open) connection.destroy();
    await Promise.all([...servers, ...sockets].map(closed));
  };
  try {
    for (const bound of servers.map(boundAddress)) {
      if ("port" in bound) sockets.push(await answerDatagrams(bound, handling));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    name: "listeners",
    addresses: servers.map((server) => formatListenAddress(boundAddress(server))),
    async run(signal) {
      if (!signal.aborted) await once(signal, "abort");
      await close();
    },
  };
}

async function closed(listening: Server | Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  listening.close(() => resolve());
  await promise;
}

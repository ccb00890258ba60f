// The query between announcers that have lost touch with the API: whether others still have it. If none has,
// nobody takes over, and addresses stay where they are.

import { createServer, type Server } from "node:http";
import { listenOn } from "../../../base/program/listen.system.ts";
import type { Part } from "../../../base/program/run-all.ts";

/** The peer port, which must be the same on all nodes. */
export const usualPeerPort = 10266;

const path = "/in-touch";
const patienceMs = 500;

export async function openPeersServer(port: number, isWitness: () => boolean): Promise<Part> {
  const servers = await listenOn([{ host: "", port }], () =>
    createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, (request, response) => {
      const status = request.url !== path ? 404 : isWitness() ? 200 : 503;
      response.writeHead(status, { connection: "close" }).end();
    }),
  );
  return {
    name: "announcers' server",
    async run(signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (!signal.aborted) await promise;
      await Promise.all(servers.map(close));
    },
  };
}

/** Whether any of the peers answers that it is in touch with the API. */
export async function isAnyInTouch(peers: readonly string[]): Promise<boolean> {
  const asked = peers.map(async (peer) => {
    const response = await fetch(`http://${peer}${path}`, {
      signal: AbortSignal.timeout(patienceMs),
    });
    if (response.status !== 200) throw new Error(`${peer} is not in touch`);
  });
  const answers = await Promise.allSettled(asked);
  return answers.some(({ status }) => status === "fulfilled");
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}

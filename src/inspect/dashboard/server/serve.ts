// The server of the dashboard: it listens on loopback and acts with the rights of the user who started it.

import { createServer, type Server } from "node:http";
import type { Client } from "../../../api/client/client.ts";
import type { InformerSettings } from "../../../api/client/informer.ts";
import type { Files } from "../../../base/host/files.ts";
import { Address } from "../../../base/net/address.ts";
import { messageOf, UsageError } from "../../../base/program/errors.ts";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
  listenOn,
} from "../../../base/program/listen.ts";
import { type About, Answerer } from "./answer.ts";
import { Feed } from "./feed.ts";
import { readPageFiles } from "./page-files.ts";
import { Sessions } from "./sessions.ts";
import { sourcesOf } from "./sources.ts";

export interface DashboardParts extends InformerSettings {
  readonly client: Client;
  readonly files: Files;
}

export interface DashboardSettings {
  readonly listen: ListenAddress;
  /** The directory with the built page. */
  readonly directory: string;
  readonly about: About;
}

export interface Dashboard {
  /** The link by which one browser, once, gets to see the cluster. */
  readonly link: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Opens the server, which listens when this resolves, and answers until the signal of `run` aborts. */
export async function openDashboard(
  parts: DashboardParts,
  { listen, directory, about }: DashboardSettings,
): Promise<Dashboard> {
  refuseOthers(listen);
  const files = await readPageFiles(parts.files, directory);
  const { client, clock, random, log } = parts;
  const stop = new AbortController();
  const sessions = new Sessions({ clock, random });
  const feed = new Feed(sourcesOf(client, about.namespace), parts);
  const answerer = new Answerer({ ...parts, feed, sessions, files, about, signal: stop.signal });
  const hosts = new Set<string>();
  const servers = await listenOn([listen], () =>
    createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
      answerer.answer(request, response, hosts).catch((error: unknown) => {
        log.error("Cannot answer a request", { error: messageOf(error) });
        response.destroy();
      });
    }),
  );
  for (const host of servers.flatMap((server) => namesOf(server, listen))) hosts.add(host);
  const [host = ""] = hosts;
  return {
    link: `http://${host}/#code=${sessions.issueCode()}`,
    async run(signal) {
      try {
        await feed.run(signal);
      } finally {
        stop.abort();
        await Promise.all(servers.map(close));
      }
    },
  };
}

/** Refuses to listen where others could ask: there is no encryption and one user's rights. */
function refuseOthers(listen: ListenAddress): void {
  const isOurs =
    "host" in listen &&
    (listen.host === "localhost" || Address.tryParse(listen.host)?.isLoopback === true);
  if (isOurs) return;
  throw new UsageError(
    `Cannot listen on ${formatListenAddress(listen)}: whoever reaches the dashboard reads the cluster ` +
      "with your rights, so that it listens on loopback addresses only",
  );
}

/**
 * The values of the Host header by which a server is meant, the one for links first. "localhost" is one of
 * them only if we listen in all families: behind the address of another could be somebody else.
 */
function namesOf(server: Server, listen: ListenAddress): readonly string[] {
  const bound = boundAddress(server);
  if ("path" in bound || "path" in listen) return [];
  const exact = formatListenAddress(bound);
  return listen.host === "localhost" ? [`localhost:${bound.port}`, exact] : [exact];
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}

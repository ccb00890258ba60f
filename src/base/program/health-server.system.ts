// A small HTTP server for health and metrics only.

import { createServer, type Server } from "node:http";
import { createHealthHandler, type HealthOptions } from "./health.ts";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
  listenOn,
} from "./listen.system.ts";
import { listenList } from "./network-option-types.ts";
import type { Option } from "./options.ts";
import type { Part } from "./run-all.ts";

export interface HealthServer extends Part {
  /** The addresses it listens on, such as `127.0.0.1:10256`. */
  readonly addresses: readonly string[];
}

/** The option for the listen address; the default is loopback only. */
export function healthOptions(port: number) {
  return {
    healthAddress: {
      type: listenList(),
      default: `localhost:${port}`,
      help: "Where /healthz, /livez, /readyz and /metrics are served; empty for nowhere.",
    },
  } as const satisfies Record<string, Option>;
}

/** Opens the server, which listens when this resolves, and answers until the signal given to `run` aborts. */
export async function openHealthServer(
  options: HealthOptions & { readonly listen: readonly ListenAddress[] },
): Promise<HealthServer> {
  const handle = createHealthHandler(options);
  const servers = await listenOn(options.listen, () =>
    createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
      handle(request, response).then(
        (handled) => handled || response.writeHead(404).end("Cannot answer: no such path\n"),
        (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
      );
    }),
  );
  return {
    name: "health server",
    addresses: servers.map((server) => formatListenAddress(boundAddress(server))),
    async run(signal) {
      await aborted(signal);
      await Promise.all(servers.map(closeServer));
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}

/** Closes a server and cuts off scrapes under way: the next one goes to this process's successor. */
async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}

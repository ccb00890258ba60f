// The status servers of the proxy. One is open to load balancers, which ask whether to send traffic to
// this node; the other answers everything else.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Clock } from "../../../base/host/clock.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { createHealthHandler, type HealthCheck } from "../../../base/program/health.ts";
import { type ListenAddress, listenOn } from "../../../base/program/listen.system.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { FamilyStatus } from "../sync/service-proxy.ts";
import { closeServer } from "./close-server.ts";
import { untilAborted } from "./until-aborted.ts";

export interface ProxyStatus {
  readonly mode: string;
  readonly node: string;
  readonly families: readonly FamilyStatus[];
  /** The problems of services, by service. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
  readonly isHealthy: boolean;
  /** Whether load balancers may send traffic to the node. */
  readonly isEligible: boolean;
}

interface Options {
  readonly healthzAddress: readonly ListenAddress[];
  readonly healthAddress: readonly ListenAddress[];
  readonly read: () => ProxyStatus;
  readonly metrics: Registry;
  readonly clock: Clock;
}

/** Opens the status servers; they listen when this resolves. */
export async function openStatusServer(options: Options): Promise<Part> {
  const { healthzAddress, healthAddress, read, metrics, clock } = options;
  const isSynced: HealthCheck = { name: "sync", check: () => checkSync(read()) };
  const health = createHealthHandler({ live: [isSynced], metrics });
  const forBalancers = await open(healthzAddress, async ({ url }, response) => {
    if (url !== "/healthz" && url !== "/livez") return false;
    const { isHealthy, isEligible } = read();
    const isGood = isHealthy && (isEligible || url === "/livez");
    const currentTime = new Date(clock.now()).toISOString();
    respond(response, { currentTime, nodeEligible: isEligible }, isGood ? 200 : 503);
    return true;
  });
  const forOthers = await open(healthAddress, async (request, response) => {
    if (request.url !== "/status") return health(request, response);
    respond(response, statusDocument(read()));
    return true;
  });
  return {
    name: "status server",
    async run(signal) {
      await untilAborted(signal);
      await Promise.all([...forBalancers, ...forOthers].map(closeServer));
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

function open(addresses: readonly ListenAddress[], handle: Handler): Promise<readonly Server[]> {
  return listenOn(addresses, () =>
    createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
      handle(request, response).then(
        (isKnown) => isKnown || response.writeHead(404).end("Cannot answer: no such path\n"),
        (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
      );
    }),
  );
}

function checkSync({ isHealthy, families }: ProxyStatus): void {
  if (isHealthy) return;
  const failed = families.find(({ error }) => error !== undefined);
  if (failed === undefined) throw new Error("services have not been brought into the kernel yet");
  throw new Error(messageOf(failed.error), { cause: failed.error });
}

function statusDocument({ mode, node, families, problems }: ProxyStatus): object {
  const told = families.map(({ error, ...rest }) => ({
    ...rest,
    ...(error !== undefined && { error: messageOf(error) }),
  }));
  return { mode, node, families: told, problems };
}

function respond(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(`${JSON.stringify(body, undefined, 2)}\n`);
}

// The kubelet API server: logs, exec, attach, port-forward and connections to pods, for the API server alone.
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { messageOf } from "../../base/program/errors.ts";
import { createHealthHandler, type HealthOptions } from "../../base/program/health.ts";
import { type ListenAddress, listenOn } from "../../base/program/listen.system.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";
import { UpgradeError } from "../../base/streaming/handshake.ts";
import type { PodContainers } from "../pods/pods.ts";
import type { Containers } from "../runtime/runtime.ts";
import type { StatsHandler } from "../stats/stats.ts";
import { refusalOf } from "./caller.ts";
import { serveDial } from "./dial.ts";
import { type Refusal, type RefusalStatus, refusalBody, ServeError } from "./error.ts";
import { serveLogSocket, serveLogs } from "./logs.ts";
import { serveForwarding } from "./port-forward.ts";
import { serveSession } from "./session.ts";
import { targetOf } from "./target.ts";

export interface ServingIdentity {
  /** The root, the certificate and its key, all in PEM. */
  readonly authority: string;
  readonly serving: { readonly certificate: string; readonly key: string };
}

interface Options extends HealthOptions {
  readonly listen: readonly ListenAddress[];
  readonly identity: ServingIdentity;
  readonly pods: PodContainers;
  readonly containers: Containers;
  readonly stats: StatsHandler;
  readonly now: () => number;
  readonly log: Log;
}

export interface NodeServer extends Part {
  /** Uses another certificate for new connections. */
  renew(identity: ServingIdentity): void;
}

/** Opens the server; it listens when this resolves. */
export async function openNodeServer(options: Options): Promise<NodeServer> {
  const sockets = new Set<Duplex>();
  const servers = await listenOn(options.listen, () => {
    const server = createServer({ ...tlsOf(options.identity), ALPNProtocols: ["http/1.1"] });
    server.on("connection", (socket: Duplex) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    const health = createHealthHandler(options);
    server.on("request", (request, response) => {
      answer(request, response, { ...options, health }).catch((error: unknown) =>
        refuse(response, error, options.log),
      );
    });
    server.on("upgrade", (request, socket: TLSSocket, head: Buffer) => {
      socket.on("error", () => socket.destroy());
      takeOver({ request, socket, head }, options).catch((error: unknown) =>
        refuseUpgrade(socket, error, options.log),
      );
    });
    return server;
  });
  return {
    name: "node server",
    renew: (identity) => {
      for (const server of servers) server.setSecureContext(tlsOf(identity));
    },
    async run(signal) {
      if (!signal.aborted) await once(signal, "abort");
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map(closed));
    },
  };
}

/**
 * Returns TLS options. A client without a certificate gets an error message rather than a failed handshake.
 */
function tlsOf({ authority, serving }: ServingIdentity) {
  return {
    ca: authority,
    cert: serving.certificate,
    key: serving.key,
    requestCert: true,
    rejectUnauthorized: false,
  };
}

type Health = ReturnType<typeof createHealthHandler>;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: Options & { readonly health: Health },
): Promise<void> {
  const refusal = refusalOf(request.socket as TLSSocket);
  if (refusal !== undefined) return refuseWith(response, refusal);
  const target = targetOf(request.url ?? "/");
  if (target.kind === "containerLogs") return await serveLogs(target, response, options);
  if (target.kind !== "other") throw new ServeError(400, "Upgrade request required");
  if (target.path === "/pods") {
    const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items: options.pods.list() };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
    return;
  }
  const stats = await options.stats(target.path);
  if (stats !== undefined) {
    response.writeHead(200, { "content-type": stats.type }).end(stats.body);
    return;
  }
  if (await options.health(request, response)) return;
  throw new ServeError(404, `Cannot answer ${target.path}: there is no such path`);
}

async function takeOver(
  upgrade: { request: IncomingMessage; socket: TLSSocket; head: Buffer },
  options: Options,
): Promise<void> {
  const refusal = refusalOf(upgrade.socket);
  if (refusal !== undefined) return endWith(upgrade.socket, refusal);
  const target = targetOf(upgrade.request.url ?? "/");
  if (target.kind === "portForward") return await serveForwarding(target, upgrade, options.pods);
  if (target.kind === "dial") return await serveDial(target, upgrade, options.pods);
  if (target.kind === "exec" || target.kind === "attach") {
    return await serveSession(target, upgrade, options);
  }
  if (target.kind === "containerLogs") return await serveLogSocket(target, upgrade, options);
  throw new ServeError(404, "Cannot upgrade: only exec, attach, logs, portForward and dial can be");
}

function refuse(response: ServerResponse, error: unknown, log: Log): void {
  const status = statusOf(error);
  if (status === 500) log.warn("Cannot answer the API server", { error });
  if (response.headersSent) response.destroy();
  else refuseWith(response, { status, message: messageOf(error) });
}

function refuseWith(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, { "content-type": "application/json" });
  response.end(refusalBody(refusal));
}

function refuseUpgrade(socket: Duplex, error: unknown, log: Log): void {
  const status = statusOf(error);
  if (status === 500) log.warn("Cannot serve a stream to the API server", { error });
  if (!socket.destroyed) endWith(socket, { status, message: messageOf(error) });
}

function statusOf(error: unknown): RefusalStatus {
  if (error instanceof ServeError) return error.status;
  return error instanceof UpgradeError ? 400 : 500;
}

function endWith(socket: Duplex, refusal: Refusal): void {
  const body = refusalBody(refusal);
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

async function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
}

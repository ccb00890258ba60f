// The HTTP/1.1 connections to one server, kept open between requests.

import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { createSecureContext } from "node:tls";
import { defined } from "../../../base/json/defined.ts";
import { messageOf, reasonOf } from "../../../base/program/errors.ts";
import type { Access, Credential } from "../access.ts";
import { type ApiError, unanswered } from "../errors.ts";
import { type ApiRequest, actionOf } from "./message.ts";

export interface Attempt {
  readonly request: ApiRequest;
  readonly headers: OutgoingHttpHeaders;
  readonly credential: Credential;
  /** The signal that ends the exchange at any time, including its response body. */
  readonly signal: AbortSignal;
}

export interface Upgraded {
  readonly head: IncomingMessage;
  readonly socket?: Duplex;
}

/** The idle timeout, shorter than that of servers, so that no connection is used that is being closed. */
const idleMs = 30_000;
/**
 * The TCP keep-alive settings. They detect within two seconds that a server's address moved to another
 * machine, which resets the connection, and within four that nobody answers. Kernels answer probes, so a
 * server that is only slow is not taken for lost.
 */
const probing = { afterMs: 2_000, everyMs: 1_000, unanswered: 2 } as const;
const maximumIdle = 64;

export class Connections {
  readonly #access: Access;
  #agent: HttpAgent | undefined;
  /** The client certificate of the agent's connections. */
  #identity: Credential = {};

  constructor(access: Access) {
    this.#access = access;
  }

  /** Sends a request; resolves with the head of the response. */
  exchange(attempt: Attempt): Promise<IncomingMessage> {
    return this.#start(attempt, (request, resolve) => request.once("response", resolve));
  }

  /** Requests an upgrade; the socket is missing when the server stays with HTTP. */
  upgrade(attempt: Attempt): Promise<Upgraded> {
    return this.#start<Upgraded>(attempt, (request, resolve) => {
      request.once("response", (head) => resolve({ head }));
      request.once("upgrade", (head, socket, first) => {
        if (first.length > 0) socket.unshift(first);
        resolve({ head, socket });
      });
    });
  }

  close(): void {
    this.#agent?.destroy();
  }

  #start<T>(
    { request: wanted, headers, credential, signal }: Attempt,
    settle: (request: ClientRequest, resolve: (value: T) => void) => void,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (signal.aborted) return Promise.reject(asError(signal.reason));
    const { server } = this.#access;
    const open = server.protocol === "http:" ? httpRequest : httpsRequest;
    let agent: HttpAgent;
    try {
      agent = this.#agentFor(credential);
    } catch (error) {
      return Promise.reject(this.#explain(wanted, asError(error), false));
    }
    const request = open({
      agent,
      // The host without the brackets of an IPv6 address.
      host: server.hostname.replace(/^\[|\]$/g, ""),
      port: server.port || (server.protocol === "http:" ? 80 : 443),
      path: server.pathname.replace(/\/$/, "") + wanted.path,
      method: wanted.method,
      headers,
    });
    probe(request);
    const wasReached = watchReach(request, server.protocol === "http:");
    const onAbort = () => request.destroy(asError(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    request.once("close", () => signal.removeEventListener("abort", onAbort));
    request.on("error", (error) =>
      reject(signal.aborted ? asError(signal.reason) : this.#explain(wanted, error, wasReached())),
    );
    settle(request, resolve);
    request.end(wanted.body);
    return promise;
  }

  /** The agent for a credential; a connection keeps its certificate, so another one needs new connections. */
  #agentFor(credential: Credential): HttpAgent {
    const { certificate, key } = credential;
    if (
      this.#agent !== undefined &&
      this.#identity.certificate === certificate &&
      this.#identity.key === key
    ) {
      return this.#agent;
    }
    if (this.#agent !== undefined) retire(this.#agent);
    const { server, authorities, serverName, insecure = false } = this.#access;
    const pool = { keepAlive: true, timeout: idleMs, maxFreeSockets: maximumIdle };
    this.#agent =
      server.protocol === "http:"
        ? new HttpAgent(pool)
        : new HttpsAgent({
            ...pool,
            // One context for all connections: reading the certificates takes longer than a small request.
            secureContext: createSecureContext({
              ...defined({ ca: authorities }),
              ...(certificate === undefined ? {} : { cert: certificate, key }),
            }),
            ...defined({ servername: serverName }),
            rejectUnauthorized: !insecure,
          });
    this.#identity = credential;
    return this.#agent;
  }

  #explain(request: ApiRequest, cause: Error, wasReached: boolean): ApiError {
    const action = actionOf(request);
    const { host } = this.#access.server;
    const code = reasonOf(cause) ?? "";
    if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) {
      const state = `the certificate of ${host} is not to be trusted: ${messageOf(cause)}`;
      return unanswered(action, { reason: "Untrusted", state, cause });
    }
    return wasReached
      ? unanswered(action, {
          reason: "ConnectionLost",
          state: `the connection to ${host} was lost: ${messageOf(cause)}`,
          cause,
        })
      : unanswered(action, {
          reason: "Unreachable",
          state: `${host} is out of reach: ${messageOf(cause)}`,
          cause,
        });
  }
}

/** Enables keep-alive probes, also on reused connections, whose settings the agent changes when idle. */
function probe(request: ClientRequest): void {
  const { afterMs, everyMs, unanswered: count } = probing;
  request.once("socket", (socket) => {
    const start = () => socket.setKeepAlive(true, afterMs, everyMs, count);
    if (socket.connecting) socket.once("connect", start);
    else start();
  });
}

/** Returns a function that tells whether the request could have been sent. */
function watchReach(request: ClientRequest, isPlain: boolean): () => boolean {
  let isReady = false;
  request.once("socket", (socket) => {
    if (request.reusedSocket) isReady = true;
    else socket.once(isPlain ? "connect" : "secureConnect", () => (isReady = true));
  });
  return () => isReady;
}

/** Retires an agent: requests under way finish, and its idle connections are closed. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

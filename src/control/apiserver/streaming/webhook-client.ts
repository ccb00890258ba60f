// Posts JSON to webhooks: servers behind services of the cluster, or at URLs, always over TLS.
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectPlain, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import type { WebhookClientConfig } from "../../../api/types/admissionregistration.ts";
import type { Reach } from "./reach.ts";

export interface WebhookCall {
  readonly client: WebhookClientConfig;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Posts a body and resolves to that of the answer. Rejects in words that say which server failed. */
export type PostWebhook = (call: WebhookCall) => Promise<string>;

/** The longest answer. */
const longestAnswer = 16 * 1024 * 1024;
/** The servers whose connections are kept. */
const mostServers = 100;
/** The connections to one server: a slow one must not take all descriptors. */
const connectionsPerServer = 200;
const idleConnections = 8;
const idleMs = 60_000;

export function webhookClient(reach: Reach | undefined): PostWebhook {
  const servers = new Map<string, Server>();
  const serverOf = (client: WebhookClientConfig): Server => {
    const id = JSON.stringify([client.url, client.service, client.caBundle]);
    const known = servers.get(id) ?? openServer(client, reach);
    // A server that is used moves to the end, so that the first is the one not used for longest.
    servers.delete(id);
    servers.set(id, known);
    const [oldest] = servers.size > mostServers ? servers : [];
    if (oldest !== undefined) {
      oldest[1].agent.destroy();
      servers.delete(oldest[0]);
    }
    return known;
  };
  return async ({ client, body, timeoutMs }) => {
    const server = serverOf(client);
    const path = `${server.path}?timeout=${Math.ceil(timeoutMs / 1000)}s`;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await post(server, { path, body, signal });
    } catch (cause) {
      const state = signal.aborted ? "context deadline exceeded" : wordsOf(cause);
      throw new Error(`Post "https://${server.authority}${path}": ${state}`, { cause });
    }
  };
}

interface Server {
  readonly agent: Agent;
  /** The name and port, as certificates and people know it. */
  readonly authority: string;
  readonly path: string;
}

function openServer(client: WebhookClientConfig, reach: Reach | undefined): Server {
  const { service, url, caBundle } = client;
  const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, "base64").toString();
  if (service !== undefined) {
    const { namespace, name, port = 443, path = "/" } = service;
    const servername = `${name}.${namespace}.svc`;
    const connect = async () => {
      if (reach === undefined) throw new Error("this server has no connection to nodes");
      return await reach.connect(reach.backendOf({ namespace, name }, String(port)));
    };
    return {
      agent: securedAgent(connect, { servername, ca }),
      authority: `${servername}:${port}`,
      path: path.startsWith("/") ? path : `/${path}`,
    };
  }
  const { hostname, port, pathname, host } = new URL(url ?? "");
  const name = hostname.replace(/^\[|\]$/g, "");
  const connect = async () => {
    const socket = connectPlain({ host: name, port: Number(port || "443"), noDelay: true });
    await once(socket, "connect");
    return socket;
  };
  return { agent: securedAgent(connect, { servername: name, ca }), authority: host, path: pathname };
}

/** Makes an agent that keeps connections; a request waits while a new one is being made. */
function securedAgent(
  connect: () => Promise<Duplex>,
  { servername, ca }: { servername: string; ca: string | undefined },
): Agent {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connectionsPerServer,
    maxFreeSockets: idleConnections,
    timeout: idleMs,
  });
  const open = async (): Promise<Duplex> => {
    const socket = await connect();
    const secured = connectSecurely({
      socket,
      host: servername,
      // TLS names no addresses; a certificate is checked against `host` then.
      ...(isIP(servername) === 0 ? { servername } : {}),
      ALPNProtocols: ["http/1.1"],
      ...(ca === undefined ? {} : { ca }),
    });
    try {
      await once(secured, "secureConnect");
      return secured;
    } catch (error) {
      secured.once("error", () => undefined).destroy();
      socket.destroy();
      throw error;
    }
  };
  agent.createConnection = (_options, callback) => {
    open().then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
  return agent;
}

interface Posting {
  readonly path: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

async function post(server: Server, posting: Posting): Promise<string> {
  const bytes = Buffer.from(posting.body);
  for (let attempt = 0; ; attempt++) {
    const outgoing = httpRequest({
      agent: server.agent,
      method: "POST",
      path: posting.path,
      signal: posting.signal,
      headers: {
        host: server.authority,
        accept: "application/json",
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "kube-apiserver-admission",
      },
    });
    outgoing.end(bytes);
    try {
      const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
      return await textOf(answer);
    } catch (error) {
      // The server may have closed a kept connection at the very moment it was used.
      const isStale = outgoing.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
      if (!isStale || attempt > 0) throw error;
    }
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    if (size > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} bytes`);
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString();
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 299) {
    const said = text.slice(0, 1024).trim();
    throw new Error(`the server answered with status ${statusCode}${said && `: ${said}`}`);
  }
  return text;
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

// Posts JSON to webhooks: servers behind services of the cluster, or at URLs, always over TLS.
import { once } from "node:events";
import { type Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectPlain } from "node:net";
import type { WebhookClientConfig } from "../../../api/types/admissionregistration.ts";
import { systemCode } from "../../../base/program/errors.ts";
import type { Reach } from "./reach.ts";
import { connectSecured, keepingAgent } from "./secured-agent.system.ts";

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
      agent: keepingAgent(() => connectSecured(connect, { servername, ca })),
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
  const agent = keepingAgent(() => connectSecured(connect, { servername: name, ca }));
  return { agent, authority: host, path: pathname };
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
      const isStale = outgoing.reusedSocket && systemCode(error) === "ECONNRESET";
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

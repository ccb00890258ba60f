// An API server for tests, in this process, on a free port, with an administrator's certificate.

import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boundAddress } from "../../../base/program/listen.system.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { Store } from "../../store/store.ts";
import { changeCertificate, listen } from "../listen.ts";
import { createAuthority, type KeyPair, openAuthority } from "../security/authority.ts";
import { clientCertificates } from "../security/client-certificate.ts";
import type { Announcement } from "../self/registry.ts";
import { ApiServer, type ApiServerOptions } from "../server.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  readonly json: Record<string, unknown>;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly authority: string;
  readonly client: KeyPair;
  /** Issues a certificate for clients that are another user. */
  issueClient(commonName: string): Promise<KeyPair>;
  readonly agent: Agent;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  announce(announcement: Announcement): void;
  /** Makes the server serve with another certificate. */
  renewCertificate(): Promise<void>;
}

export interface SendOptions {
  readonly body?: object | string | Buffer;
  readonly headers?: Record<string, string>;
}

/** Starts a server; without a store of the caller's it gets an empty one, which is closed with it. */
export async function startServer(options: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  await using scope = new AsyncDisposableStack();
  const store = options.store ?? (await openTemporary(scope));
  const now = () => new Date();
  const authority = await openAuthority(await createAuthority("test", { now }), { now });
  const names = { dnsNames: ["localhost"], addresses: ["127.0.0.1", "::1"] };
  const serving = await authority.issueServer({ commonName: "server" }, names);
  const administrator = { commonName: "admin", organizations: ["system:masters"] };
  const client = await authority.issueClient(administrator);
  const server = await ApiServer.open({
    store,
    settings: { serviceCidrs: ["10.96.0.0/16"], now },
    log: createLog({ write: (line) => process.stderr.write(line), format: "text", level: "warn" }),
    metrics: new Registry(),
    access: () => ({
      authenticator: clientCertificates(),
      authorizer: { authorize: () => ({ allowed: true }) },
    }),
    ...options,
  });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  scope.defer(async () => {
    stop.abort();
    await running;
  });
  await Promise.race([server.ready, running]);
  const servers = await listen(server, {
    addresses: [{ host: "127.0.0.1", port: 0 }],
    tls: { ...serving, clientAuthorities: authority.certificate },
  });
  const bound = boundAddress(servers[0] as Server);
  const url = `https://127.0.0.1:${"port" in bound ? bound.port : 0}`;
  const trust = { ca: authority.certificate, cert: client.certificate, key: client.key };
  const agent = new Agent({ keepAlive: true, ...trust });
  scope.defer(() => {
    agent.destroy();
    for (const each of servers) each.close();
  });
  const started = scope.move();
  return {
    url,
    authority: authority.certificate,
    client,
    issueClient: (commonName) => authority.issueClient({ commonName }),
    agent,
    send: (method, path, sending = {}) => send({ method, url: url + path, agent }, sending),
    announce: (announcement) => server.announce(announcement),
    renewCertificate: async () => {
      const renewed = await authority.issueServer({ commonName: "server" }, names);
      changeCertificate(servers, { ...renewed, clientAuthorities: authority.certificate });
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function openTemporary(scope: AsyncDisposableStack): Promise<Store> {
  const directory = await mkdtemp(join(tmpdir(), "apiserver-"));
  scope.defer(() => rm(directory, { recursive: true }));
  const store = await openEmbedded({ directory });
  scope.defer(() => store.close());
  return store;
}

function send(
  { method, url, agent }: { method: string; url: string; agent: Agent },
  { body, headers = {} }: SendOptions,
): Promise<Answer> {
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  const bytes = body === undefined ? undefined : Buffer.from(isRaw ? body : JSON.stringify(body));
  const sent = {
    ...(isRaw || body === undefined ? {} : { "content-type": "application/json" }),
    // The length is set here, since Node leaves it out for methods that rarely have a body.
    ...(bytes === undefined ? {} : { "content-length": String(bytes.length) }),
    ...headers,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpsRequest(url, { method, agent, headers: sent }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const all = Buffer.concat(chunks);
      const text = all.toString();
      const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
      const json = (
        isJson && text !== "" && !text.includes("}\n{") ? JSON.parse(text) : {}
      ) as Record<string, unknown>;
      const { statusCode: status = 0, headers: answered } = response;
      resolve({ status, headers: answered, text, bytes: all, json });
    });
  });
  request.on("error", reject);
  request.end(bytes);
  return promise;
}

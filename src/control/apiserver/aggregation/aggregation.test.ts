import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { createAuthority, openAuthority } from "../security/authority.ts";
import type { Reach } from "../streaming/reach.ts";
import { startServer, type TestServer } from "../testing/start.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const now = () => new Date();

interface Asked {
  readonly url: string;
  readonly user: string;
  readonly groups: string[];
  readonly headers: Record<string, unknown>;
}

describe("[API-10] aggregated APIs", () => {
  let server: TestServer;
  let backend: Server;
  let caBundle = "";
  const asked: Asked[] = [];
  before(async () => {
    const root = await createAuthority("front-proxy", { now });
    const frontProxy = await openAuthority(root, { now });
    const client = await frontProxy.issueClient({ commonName: "front-proxy-client" });
    const own = await openAuthority(await createAuthority("wardle", { now }), { now });
    const names = { dnsNames: ["api.wardle.svc"], addresses: [] };
    const { certificate, key } = await own.issueServer({ commonName: "api" }, names);
    caBundle = Buffer.from(own.certificate).toString("base64");
    const tls = { cert: certificate, key, ca: root.certificate, requestCert: true };
    backend = createServer({ ...tls, rejectUnauthorized: false }, (request, response) => {
      const { url = "", headers, socket } = request;
      const isTrusted = (socket as TLSSocket).authorized;
      asked.push({
        url,
        user: String(headers["x-remote-user"]),
        groups: String(headers["x-remote-group"] ?? "").split(", "),
        headers,
      });
      response.writeHead(isTrusted ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify(isTrusted ? documentOf(url) : {}));
    });
    backend.listen(0, "127.0.0.1");
    await once(backend, "listening");
    const { port } = backend.address() as AddressInfo;
    const reach: Reach = {
      backendOf: () => ({ host: "127.0.0.1", port }),
      connect: async (place) => connect(place),
    };
    server = await startServer({
      aggregation: {
        frontProxy: { authority: root.certificate, client: async () => client },
        clientAuthority: "the authority of clients",
      },
      streaming: () => ({
        reach,
        answer: () => Promise.reject(new Error("nothing streams here")),
        upgrade: () => Promise.reject(new Error("nothing streams here")),
      }),
    });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    backend.closeAllConnections();
    backend.close();
  });

  test("every group of the server is a local APIService, which is available", async () => {
    await until(async () => (await server.send("GET", `${services}/v1.apps`)).status === 200);
    const { json } = await server.send("GET", `${services}/v1.`);
    assert.partialDeepStrictEqual(json, {
      metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: { version: "v1", groupPriorityMinimum: 18_000 },
      status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
    });
  });

  test("servers of aggregated APIs learn whom to believe", async () => {
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    await until(async () => (await server.send("GET", path)).status === 200);
    const data = (await server.send("GET", path)).json["data"] as Record<string, string>;
    assert.equal(data["client-ca-file"], "the authority of clients");
    assert.equal(data["requestheader-allowed-names"], '["front-proxy-client"]');
    assert.match(data["requestheader-client-ca-file"] ?? "", /BEGIN CERTIFICATE/);
  });

  test("an APIService is unavailable until its service is there", async () => {
    await server.send("POST", services, {
      body: {
        metadata: { name: "v1alpha1.wardle.example.test" },
        spec: {
          group: "wardle.example.test",
          version: "v1alpha1",
          service: { namespace: "wardle", name: "api" },
          caBundle,
          groupPriorityMinimum: 2000,
          versionPriority: 200,
        },
      },
    });
    await until(async () => (await condition())?.["reason"] === "ServiceNotFound");
    const path = "/apis/wardle.example.test/v1alpha1/namespaces/default/flunders";
    assert.equal((await server.send("GET", path)).status, 503);
    await server.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "wardle" } } });
    const body = { metadata: { name: "api" }, spec: { ports: [{ port: 443 }] } };
    const made = await server.send("POST", "/api/v1/namespaces/wardle/services", { body });
    assert.equal(made.status, 201, made.text);
    await until(async () => (await condition())?.["message"] === "all checks passed");
  });

  test("requests carry the caller's identity, and none that the caller made up", async () => {
    asked.length = 0;
    const path = "/apis/wardle.example.test/v1alpha1/namespaces/default/flunders?limit=5";
    const headers = {
      "x-remote-user": "root",
      "x-remote-group": "system:masters",
      "X-Remote-Extra-Scopes": "all",
      authorization: "Bearer secret",
    };
    const answer = await server.send("GET", path, { headers });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { kind: "FlunderList", items: [] });
    const found = asked.find(({ url }) => url === path);
    assert.equal(found?.user, "admin");
    assert.deepEqual(found?.groups, ["system:masters"]);
    assert.equal(found?.headers["authorization"], undefined);
    assert.equal(found?.headers["x-remote-extra-scopes"], undefined);
  });

  test("discovery and OpenAPI list what other servers serve", async () => {
    const { json } = await server.send("GET", "/apis/wardle.example.test");
    assert.partialDeepStrictEqual(json, {
      preferredVersion: { groupVersion: "wardle.example.test/v1alpha1" },
    });
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const whole = await server.send("GET", "/apis", { headers: { accept } });
    const items = whole.json["items"] as { metadata: { name: string }; versions: unknown[] }[];
    const group = items.find(({ metadata }) => metadata.name === "wardle.example.test");
    assert.partialDeepStrictEqual(group?.versions[0], {
      version: "v1alpha1",
      freshness: "Current",
      resources: [{ resource: "flunders", scope: "Namespaced", subresources: [{}] }],
    });
    const index = await server.send("GET", "/openapi/v3");
    assert.match(index.text, /\/openapi\/v3\/apis\/wardle\.example\.test\/v1alpha1\?hash=7/);
    const document = await server.send("GET", "/openapi/v3/apis/wardle.example.test/v1alpha1");
    assert.deepEqual(document.json, { openapi: "3.0.0" });
  });

  test("nobody takes over the groups that the server cannot do without", async () => {
    const spec = {
      version: "v2",
      group: "apiregistration.k8s.io",
      service: { namespace: "wardle", name: "api" },
      groupPriorityMinimum: 1,
      versionPriority: 1,
    };
    const metadata = { name: "v2.apiregistration.k8s.io" };
    await server.send("POST", services, { body: { metadata, spec } });
    assert.equal((await server.send("GET", "/apis/apiregistration.k8s.io/v2")).status, 404);
  });

  async function condition(): Promise<Record<string, string> | undefined> {
    const { json } = await server.send("GET", `${services}/v1alpha1.wardle.example.test`);
    const { conditions } = (json["status"] ?? {}) as { conditions?: Record<string, string>[] };
    return conditions?.[0];
  }
});

function documentOf(url: string): object {
  const version = "/apis/wardle.example.test/v1alpha1";
  if (url === version) {
    const flunders = { name: "flunders", namespaced: true, kind: "Flunder", verbs: ["get"] };
    const status = { name: "flunders/status", namespaced: true, kind: "Flunder", verbs: ["get"] };
    return { kind: "APIResourceList", resources: [flunders, status] };
  }
  if (url === "/openapi/v3") {
    const entry = { serverRelativeURL: `/openapi/v3${version}?hash=7` };
    return { paths: { [version.slice(1)]: entry } };
  }
  return url.startsWith("/openapi/v3/") ? { openapi: "3.0.0" } : { kind: "FlunderList", items: [] };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error("Cannot go on: what was waited for did not happen");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

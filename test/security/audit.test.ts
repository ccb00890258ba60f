// What was refused or enters a container is in the audit log, with who really asked and from where.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TestServer } from "../fixtures/server.ts";

interface AuditEvent {
  readonly level: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly sourceIPs: readonly string[];
  readonly objectRef?: { readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
  readonly requestObject?: { readonly data?: object };
  readonly responseObject?: { readonly metadata: object };
}

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
omitManagedFields: true
rules:
  - level: None
    users: ["tandem:controllers", "system:tandem-controllers"]
  - level: RequestResponse
    resources: [{ group: "", resources: [configmaps] }]
  - level: Metadata
`;

suite("[SEC-7] the audit log", () => {
  let server: TestServer;
  let directory: string;
  let receiver: Server;
  const received: AuditEvent[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "security-audit-"));
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { items } = JSON.parse(Buffer.concat(chunks).toString()) as { items: AuditEvent[] };
        received.push(...items);
        response.end();
      });
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    await writeFile(join(directory, "policy.yaml"), policy);
    await writeFile(join(directory, "tokens"), "reader-token,reader,,\n", { mode: 0o600 });
    await writeFile(
      join(directory, "webhook.yaml"),
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}/audit` } }],
        users: [{ name: "u", user: {} }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
    server = await TestServer.start({
      arguments: [
        "--controllers=",
        `--token-file=${join(directory, "tokens")}`,
        `--audit-log-path=${join(directory, "audit.log")}`,
        `--audit-policy-file=${join(directory, "policy.yaml")}`,
        `--audit-webhook-config-file=${join(directory, "webhook.yaml")}`,
        "--audit-webhook-batch-max-wait=1s",
      ],
    });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    receiver.close();
    await rm(directory, { recursive: true });
  });

  /** Waits for the event of a request. */
  const eventOf = async (matches: (event: AuditEvent) => boolean): Promise<AuditEvent> => {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
      const text = await readFile(join(directory, "audit.log"), "utf8").catch(() => "");
      const lines = text.split("\n").slice(0, -1);
      const found = lines.map((line) => JSON.parse(line) as AuditEvent).find(matches);
      if (found !== undefined) return found;
    }
    throw new Error("there is no such event in the audit log");
  };
  const reader = { authorization: "Bearer reader-token" };

  test("[SEC-7] a request with a wrong token is in it, and where it came from", async () => {
    const headers = { authorization: "Bearer wrong" };
    await server.send("GET", "/api/v1/secrets?q=401", { headers, anonymous: true });
    const event = await eventOf(({ requestURI }) => requestURI === "/api/v1/secrets?q=401");
    assert.equal(event.responseStatus?.code, 401);
    assert.deepEqual(event.sourceIPs, ["127.0.0.1"]);
    assert.deepEqual(event.user, {});
  });

  test("[SEC-7] a request that is forbidden is in it, with the reason", async () => {
    await server.send("GET", "/api/v1/secrets?q=403", { headers: reader, anonymous: true });
    const event = await eventOf(({ requestURI }) => requestURI === "/api/v1/secrets?q=403");
    assert.equal(event.responseStatus?.code, 403);
    assert.match(event.responseStatus?.message ?? "", /cannot list resource "secrets"/);
    assert.equal(event.user.username, "reader");
    assert.deepEqual(event.sourceIPs, ["127.0.0.1"]);
  });

  test("[SEC-7] who acts as another is named beside the other", async () => {
    const headers = { "impersonate-user": "alice" };
    await server.send("GET", "/api/v1/secrets?q=as", { headers });
    const event = await eventOf(({ requestURI }) => requestURI === "/api/v1/secrets?q=as");
    assert.equal(event.user.username, "kubernetes-admin");
    assert.equal(event.impersonatedUser?.username, "alice");
    assert.equal(event.responseStatus?.code, 403);
  });

  test("[SEC-7] an upgrade to a session in a container is in it", async () => {
    const path = "/api/v1/namespaces/default/pods/none/exec?command=sh&stdout=true";
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    };
    await server.open("GET", path, { headers });
    const event = await eventOf(({ objectRef }) => objectRef?.subresource === "exec");
    assert.equal(event.user.username, "kubernetes-admin");
    assert.equal(event.responseStatus?.code, 404);
    assert.deepEqual(event.sourceIPs, ["127.0.0.1"]);
  });

  test("[SEC-7] the policy decides how much is written down, and the webhook hears the same", async () => {
    await server.call("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "shown" },
      data: { a: "b" },
    });
    await server.call("POST", "/api/v1/namespaces/default/secrets", {
      metadata: { name: "hidden" },
      stringData: { password: "hunter2" },
    });
    const shown = await eventOf(
      ({ objectRef, verb }) => objectRef?.resource === "configmaps" && verb === "create",
    );
    assert.equal(shown.level, "RequestResponse");
    assert.deepEqual(shown.requestObject?.data, { a: "b" });
    assert.ok(shown.responseObject !== undefined);
    assert.ok(!("managedFields" in shown.responseObject.metadata));
    const hidden = await eventOf(
      ({ objectRef, verb }) => objectRef?.resource === "secrets" && verb === "create",
    );
    assert.equal(hidden.level, "Metadata");
    assert.doesNotMatch(JSON.stringify(hidden), /hunter2/);
    const isThere = () =>
      received.some(
        ({ objectRef, verb }) => objectRef?.resource === "secrets" && verb === "create",
      );
    for (const deadline = Date.now() + 60_000; !isThere() && Date.now() < deadline; )
      await sleep(50);
    assert.ok(isThere(), "the webhook was told");
  });
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer, type TestServer } from "../testing/start.ts";
import { createAuthority, openAuthority } from "./authority.ts";
import { createGuard, type Guard } from "./guard.ts";
import { generateServiceAccountKey } from "./service-account-token.ts";

const now = () => new Date();
const secrets = "/api/v1/namespaces/default/secrets";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
let server: TestServer;
let guard: Guard;
before(async () => {
  const authority = await openAuthority(await createAuthority("test", { now }), { now });
  const serviceAccountKey = generateServiceAccountKey();
  server = await startServer({
    access: async (objects) => {
      const issuer = "https://test";
      guard = await createGuard({ objects, authority, serviceAccountKey, issuer, now });
      return guard;
    },
  });
});
after(() => server[Symbol.asyncDispose]());

const secretFor = (name: string, account: string) => ({
  metadata: { name, annotations: { "kubernetes.io/service-account.name": account } },
  type: "kubernetes.io/service-account-token",
});

test("[API-3] a secret for an account is filled, and its token ends with it", async () => {
  await server.send("POST", accounts, { body: { metadata: { name: "bot" } } });
  const { status, json, text } = await server.send("POST", secrets, {
    body: secretFor("bot-token", "bot"),
  });
  assert.equal(status, 201, text);
  const data = json["data"] as Record<string, string>;
  const read = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
  assert.equal(read("namespace"), "default");
  assert.match(read("ca.crt"), /^-----BEGIN CERTIFICATE-----/);
  const user = await guard.serviceAccounts.verify(read("token"));
  assert.equal(user?.name, "system:serviceaccount:default:bot");
  const { ownerReferences } = json["metadata"] as { ownerReferences: { name: string }[] };
  assert.equal(ownerReferences[0]?.name, "bot");
  await server.send("DELETE", `${secrets}/bot-token`);
  assert.equal(await guard.serviceAccounts.verify(read("token")), undefined);
});

test("[API-3] a secret for an account that is not there is refused", async () => {
  const { status, json } = await server.send("POST", secrets, { body: secretFor("x", "nobody") });
  assert.equal(status, 403);
  assert.match(String(json["message"]), /serviceaccount "nobody" not found/);
});

test("[API-3] tokens can be bound to secrets and nodes, and to nothing unknown", async () => {
  const request = (boundObjectRef: object) =>
    server.send("POST", `${accounts}/default/token`, {
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { boundObjectRef },
      },
    });
  await server.send("POST", "/api/v1/nodes", { body: { metadata: { name: "n1" } } });
  const bound = await request({ kind: "Node", apiVersion: "v1", name: "n1" });
  const { token } = bound.json["status"] as { token: string };
  assert.equal(
    (await guard.serviceAccounts.verify(token))?.name,
    "system:serviceaccount:default:default",
  );
  await server.send("DELETE", "/api/v1/nodes/n1");
  assert.equal(await guard.serviceAccounts.verify(token), undefined);
  const absent = await request({ kind: "Secret", apiVersion: "v1", name: "none" });
  assert.equal(absent.status, 404);
  const unknown = await request({ kind: "ConfigMap", apiVersion: "v1", name: "c" });
  assert.deepEqual(
    [unknown.status, unknown.json["message"]],
    [400, "cannot bind token to object of type ConfigMap"],
  );
});

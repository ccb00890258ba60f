import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attributes, User } from "./access.ts";
import { clientCertificates } from "./security/client-certificate.ts";
import { startServer } from "./testing/start.ts";

test("[API-3] a request in another's name is allowed what the other is allowed", async () => {
  const asked: [user: string, verb: string, resource: string, name: string | undefined][] = [];
  const authorize = ({ name, groups }: User, { verb, resource, name: about }: Attributes) => {
    asked.push([name, verb, resource, about]);
    return { allowed: name === "admin" || groups.includes("team") };
  };
  await using server = await startServer({
    access: () => ({ authenticator: clientCertificates(), authorizer: { authorize } }),
  });
  const list = (headers: Record<string, string>) =>
    server.send("GET", "/api/v1/namespaces", { headers });
  assert.equal((await list({})).status, 200);
  assert.equal((await list({ "impersonate-user": "joe" })).status, 403);
  assert.equal(
    (await list({ "impersonate-user": "joe", "impersonate-group": "team" })).status,
    200,
  );
  assert.equal((await list({ "impersonate-group": "team" })).status, 400);
  assert.deepEqual(asked.slice(1), [
    ["admin", "impersonate", "users", "joe"],
    ["joe", "list", "namespaces", undefined],
    ["admin", "impersonate", "users", "joe"],
    ["admin", "impersonate", "groups", "team"],
    ["joe", "list", "namespaces", undefined],
  ]);
});

test("[API-3] nobody acts as another without leave", async () => {
  const authorize = (_: User, { verb }: Attributes) => ({ allowed: verb !== "impersonate" });
  await using server = await startServer({
    access: () => ({ authenticator: clientCertificates(), authorizer: { authorize } }),
  });
  const headers = { "impersonate-user": "system:serviceaccount:default:robot" };
  const answer = await server.send("GET", "/api/v1/namespaces", { headers });
  assert.equal(answer.status, 403);
  assert.equal(
    answer.json["message"],
    'serviceaccounts "robot" is forbidden: User "admin" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
  );
});

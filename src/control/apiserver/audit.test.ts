import assert from "node:assert/strict";
import { connect } from "node:http2";
import { test } from "node:test";
import { startServer } from "./testing/start.ts";

test("every request of a user is a line, without what it carried", async () => {
  const lines: string[] = [];
  const closed = Promise.withResolvers<void>();
  await using server = await startServer({
    audit: (line) => {
      lines.push(line);
      closed.resolve();
    },
  });
  await server.send("POST", "/api/v1/namespaces/default/secrets", {
    body: { metadata: { name: "s" }, stringData: { password: "hunter2" } },
    headers: { "user-agent": "tester/1" },
  });
  await server.send("GET", "/livez");
  await closed.promise;
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines.join(""), /hunter2/);
  const { verb, user, objectRef, responseStatus, userAgent, sourceIPs } = JSON.parse(
    lines[0] ?? "",
  ) as Record<string, unknown>;
  assert.deepEqual(
    { verb, user, objectRef, responseStatus, userAgent },
    {
      verb: "create",
      user: { username: "admin", groups: ["system:masters"] },
      objectRef: { resource: "secrets", namespace: "default", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      userAgent: "tester/1",
    },
  );
  assert.match(String(sourceIPs), /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
});

test("a request whose client has gone before its end tells where it came from", async () => {
  const line = Promise.withResolvers<string>();
  await using server = await startServer({ audit: line.resolve });
  const { url, authority, client } = server;
  const session = connect(url, { ca: authority, cert: client.certificate, key: client.key });
  session.on("error", () => undefined);
  const stream = session.request({ ":path": "/api/v1/namespaces?watch=true" });
  stream.on("error", () => undefined);
  stream.once("response", () => session.destroy());
  const { sourceIPs } = JSON.parse(await line.promise) as { sourceIPs: string[] };
  assert.match(sourceIPs.join(), /127\.0\.0\.1|::1/);
});

import assert from "node:assert/strict";
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
  const { verb, user, objectRef, responseStatus, userAgent } = JSON.parse(lines[0] ?? "") as Record<
    string,
    unknown
  >;
  assert.deepEqual(
    { verb, user, objectRef, responseStatus, userAgent },
    {
      verb: "create",
      user: { username: "admin", groups: ["system:masters"] },
      objectRef: { resource: "secrets", namespace: "default", apiGroup: "", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      userAgent: "tester/1",
    },
  );
});

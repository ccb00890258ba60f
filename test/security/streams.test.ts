// A user who may only look at pods tries to enter them: a WebSocket begins with a GET.
import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { after, before, describe, test } from "node:test";
import { type GuardedServer, startGuarded } from "../fixtures/guarded-server.ts";

const group = "rbac.authorization.k8s.io";

describe("[SEC-2] entering a pod", () => {
  let guarded: GuardedServer;
  before(async () => {
    guarded = await startGuarded({
      streaming: () => ({
        answer: async (_, response) => void response.end("entered"),
        upgrade: async (_, { socket }) => {
          socket.end(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
          );
        },
      }),
    });
    const must = async (path: string, body: object) => {
      const answer = await guarded.admin("POST", path, body);
      assert.equal(answer.status, 201, answer.text);
    };
    const containers = [{ name: "main", image: "example.test/tool:1" }];
    await must("/api/v1/namespaces/default/pods", {
      metadata: { name: "tool" },
      spec: { containers },
    });
    const resources = ["pods/exec", "pods/attach", "pods/portforward"];
    for (const [name, verbs] of Object.entries({ watcher: ["get"], operator: ["get", "create"] })) {
      const rules = [{ apiGroups: [""], resources, verbs }];
      await must(`/apis/${group}/v1/clusterroles`, { metadata: { name }, rules });
      await must(`/apis/${group}/v1/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: group, kind: "ClusterRole", name },
        subjects: [{ apiGroup: group, kind: "User", name }],
      });
    }
  });
  after(() => guarded[Symbol.asyncDispose]());

  for (const subresource of ["exec", "attach", "portforward"]) {
    test(`[SEC-2] ${subresource} by a GET needs the verb create as well as get`, async () => {
      assert.equal(await enter("watcher", subresource), 403);
      assert.equal(await enter("operator", subresource), 101);
      assert.equal(await enter("operator", subresource, {}), 200);
      assert.equal(await enter("watcher", subresource, {}), 403);
    });
  }

  const webSocket = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
    "sec-websocket-protocol": "v5.channel.k8s.io",
  };

  /** The status of a GET in the user's name. */
  async function enter(
    user: string,
    subresource: string,
    headers: Record<string, string> = webSocket,
  ): Promise<number> {
    const url = `${guarded.server.url}/api/v1/namespaces/default/pods/tool/${subresource}?command=id`;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const outgoing = httpsRequest(url, {
      agent: guarded.server.agent,
      headers: { ...headers, "impersonate-user": user },
    });
    outgoing.once("error", reject);
    outgoing.once("upgrade", (response, socket: Duplex) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.end();
    return await promise;
  }
});

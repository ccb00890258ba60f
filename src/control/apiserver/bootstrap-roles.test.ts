import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbedded } from "../store/embedded/open.system.ts";
import { startServer, type TestServer } from "./testing/start.ts";

const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const extra = { apiGroups: ["example.test"], resources: ["widgets"], verbs: ["get"] };

async function rulesOf(server: TestServer, name: string): Promise<readonly object[]> {
  const { json } = await server.send("GET", `${path}/${name}`);
  return json["rules"] as object[];
}

async function patch(server: TestServer, name: string, body: object): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const { status, text } = await server.send("PATCH", `${path}/${name}`, { body, headers });
  assert.equal(status, 200, text);
}

test("[API-3] at a start, roles get back what they lack, unless nobody wants that", async () => {
  const directory = await mkdtemp(join(tmpdir(), "apiserver-roles-"));
  await using scope = new AsyncDisposableStack();
  scope.defer(() => rm(directory, { recursive: true }));
  const store = await openEmbedded({ directory });
  scope.defer(() => store.close());
  const change = async (server: TestServer) => {
    const view = await rulesOf(server, "system:aggregate-to-view");
    await patch(server, "system:aggregate-to-view", { rules: [extra, ...view.slice(1)] });
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    await patch(server, "system:aggregate-to-edit", { metadata: { annotations }, rules: [extra] });
    return view;
  };
  const outdate = async (server: TestServer) => {
    // As a server of before wrote it: with rules of its own.
    await patch(server, "admin", { aggregationRule: null, rules: [extra] });
  };
  let view: readonly object[];
  {
    await using first = await startServer({ store });
    view = await change(first);
    await outdate(first);
  }
  await using second = await startServer({ store });
  assert.deepEqual(
    new Set(await rulesOf(second, "system:aggregate-to-view")),
    new Set([extra, ...view]),
  );
  assert.deepEqual(await rulesOf(second, "system:aggregate-to-edit"), [extra]);
  const { json } = await second.send("GET", `${path}/admin`);
  const label = "rbac.authorization.k8s.io/aggregate-to-admin";
  assert.deepEqual(json["aggregationRule"], {
    clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }],
  });
});

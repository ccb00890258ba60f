import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { Store } from "../../store/store.ts";
import { startServer, type TestServer } from "../testing/start.ts";

const pods = "/api/v1/namespaces/default/pods";
const property = { "service.kubernetes.io/service-controller-name": "blue", note: "any text" };
const podIPs = [{ ip: "10.0.0.1", properties: property }, { ip: "fd00::1" }];
const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

interface Pod {
  metadata: { name: string; labels?: Record<string, string> };
  status: { podIPs: unknown; phase?: string; message?: string };
}

describe("[PROP-1] properties of addresses survive", () => {
  let directory: string;
  let store: Store;
  let server: TestServer;
  let pod: string;
  let number = 0;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "apiserver-properties-"));
    store = await openEmbedded({ directory });
    server = await startServer({ store });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await store.close();
    await rm(directory, { recursive: true });
  });
  beforeEach(async () => {
    pod = `p-${number++}`;
    const spec = { containers: [{ name: "main", image: "echo" }] };
    await send("POST", pods, { metadata: { name: pod }, spec });
    await patch("merge", "/status", { status: { podIPs, podIP: "10.0.0.1" } });
  });

  const send = async (method: string, path: string, body: object, type = "application/json") => {
    const headers = { "content-type": type };
    const { status, text, json } = await server.send(method, path, {
      body: JSON.stringify(body),
      headers,
    });
    assert.ok(status < 300, text);
    return json;
  };
  const patch = (type: keyof typeof types, of: string, body: object, query = "") =>
    send("PATCH", `${pods}/${pod}${of}${query}`, body, types[type]);
  const get = async () => (await server.send("GET", `${pods}/${pod}`)).json as unknown as Pod;
  const assertKept = async () => assert.deepEqual((await get()).status.podIPs, podIPs);

  test("patches of everything else, of each type", async () => {
    await patch("json", "/status", [{ op: "add", path: "/status/message", value: "json" }]);
    await assertKept();
    await patch("merge", "/status", { status: { message: "merge" } });
    await assertKept();
    await patch("strategic", "/status", { status: { message: "strategic" } });
    await assertKept();
    await patch("merge", "", { metadata: { labels: { app: "web" } } });
    await assertKept();
    assert.equal((await get()).status.message, "strategic");
  });

  test("patches of the list that leave them out", async () => {
    const bare = podIPs.map(({ ip }) => ({ ip }));
    await patch("merge", "/status", { status: { podIPs: bare } });
    await assertKept();
    await patch("strategic", "/status", { status: { podIPs: bare } });
    await assertKept();
  });

  test("other managers that apply, and those that apply the list itself", async () => {
    const applied = (fields: object) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: pod },
      ...fields,
    });
    const as = (manager: string) => `?fieldManager=${manager}&force=true`;
    await patch("apply", "", applied({ metadata: { name: pod, labels: { a: "b" } } }), as("one"));
    await assertKept();
    await patch("apply", "/status", applied({ status: { phase: "Running" } }), as("two"));
    await assertKept();
    await patch("apply", "/status", applied({ status: { podIPs } }), as("three"));
    await assertKept();
    await patch("apply", "/status", applied({ status: { podIP: "10.0.0.1" } }), as("four"));
    await assertKept();
  });

  test("objects that are read and written back", async () => {
    const object = await get();
    object.status.message = "written back";
    await send("PUT", `${pods}/${pod}/status`, object);
    await assertKept();
    const again = await get();
    again.metadata.labels = { app: "web" };
    await send("PUT", `${pods}/${pod}`, again);
    await assertKept();
  });

  test("lists, and another start of the server", async () => {
    const { items } = (await server.send("GET", pods)).json as { items?: Pod[] };
    const listed = items?.find(({ metadata }) => metadata.name === pod);
    assert.deepEqual(listed?.status.podIPs, podIPs);
    await server[Symbol.asyncDispose]();
    server = await startServer({ store });
    await assertKept();
  });

  test("until they are taken away", async () => {
    const without = podIPs.map(({ ip }) => ({ ip, properties: {} }));
    await patch("merge", "/status", { status: { podIPs: without } });
    const bare = podIPs.map(({ ip }) => ({ ip }));
    assert.deepEqual((await get()).status.podIPs, bare);
  });
});

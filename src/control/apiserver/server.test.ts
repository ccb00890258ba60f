import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "./testing/start.ts";
import { openWatch, take } from "./testing/watch.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

describe("a server", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const configMap = (name: string, data: Record<string, string> = {}) => ({
    metadata: { name },
    data,
  });

  test("returns a created object unchanged when it is read", async () => {
    const created = await server.send("POST", configMaps, { body: configMap("kept", { a: "ü" }) });
    assert.equal(created.status, 201, created.text);
    const read = await server.send("GET", `${configMaps}/kept`);
    assert.equal(read.status, 200);
    assert.deepEqual(read.json, created.json);
    const { metadata, ...rest } = read.json as { metadata: Record<string, string> };
    assert.deepEqual(rest, { kind: "ConfigMap", apiVersion: "v1", data: { a: "ü" } });
    assert.match(metadata["uid"] ?? "", /^[0-9a-f-]{36}$/);
    assert.match(metadata["resourceVersion"] ?? "", /^[1-9]\d*$/);
  });

  test("refuses a second object of the same name", async () => {
    await server.send("POST", configMaps, { body: configMap("twice") });
    const again = await server.send("POST", configMaps, { body: configMap("twice") });
    assert.equal(again.status, 409);
    assert.equal(again.json["message"], 'configmaps "twice" already exists');
  });

  test("appends five random letters to generateName", async () => {
    const body = { metadata: { generateName: "made-" } };
    const { json } = await server.send("POST", configMaps, { body });
    assert.match((json as { metadata: { name: string } }).metadata.name, /^made-[a-z0-9]{5}$/);
  });

  test("refuses a namespace that does not exist", async () => {
    const answer = await server.send("POST", "/api/v1/namespaces/nowhere/configmaps", {
      body: configMap("x"),
    });
    assert.equal(answer.status, 404);
    assert.equal(answer.json["message"], 'namespaces "nowhere" not found');
  });

  test("refuses an update of something newer", async () => {
    const { json } = await server.send("POST", configMaps, { body: configMap("versions") });
    const first = await server.send("PUT", `${configMaps}/versions`, {
      body: { ...json, data: { a: "1" } },
    });
    assert.equal(first.status, 200, first.text);
    const second = await server.send("PUT", `${configMaps}/versions`, {
      body: { ...json, data: { a: "2" } },
    });
    assert.equal(second.status, 409);
    assert.match(String(second.json["message"]), /the object has been modified/);
  });

  test("writes nothing when nothing changes", async () => {
    const { json } = await server.send("POST", configMaps, {
      body: configMap("same", { a: "1", b: "2" }),
    });
    const { data: _, ...rest } = json;
    const again = await server.send("PUT", `${configMaps}/same`, {
      body: { data: { b: "2", a: "1" }, ...rest },
    });
    assert.deepEqual(again.json, json);
  });

  test("deletes an object, which is not found afterwards", async () => {
    await server.send("POST", configMaps, { body: configMap("gone") });
    const deleted = await server.send("DELETE", `${configMaps}/gone`);
    assert.equal(deleted.json["status"], "Success");
    const missing = await server.send("GET", `${configMaps}/gone`);
    assert.equal(missing.status, 404);
    assert.equal(missing.json["message"], 'configmaps "gone" not found');
  });

  test("keeps an object that has finalizers until they are gone", async () => {
    const body = { metadata: { name: "held", finalizers: ["example.com/hold"] } };
    await server.send("POST", configMaps, { body });
    const deleted = await server.send("DELETE", `${configMaps}/held`);
    const marked = deleted.json as {
      metadata: { deletionTimestamp?: string; finalizers?: string[] };
    };
    assert.ok(marked.metadata.deletionTimestamp);
    delete marked.metadata.finalizers;
    const released = await server.send("PUT", `${configMaps}/held`, { body: marked });
    assert.equal(released.status, 200, released.text);
    assert.equal((await server.send("GET", `${configMaps}/held`)).status, 404);
  });

  test("[API-1] lists page by page at one revision", async () => {
    const path = "/api/v1/namespaces/kube-public/configmaps";
    for (let index = 0; index < 5; index++) {
      await server.send("POST", path, { body: configMap(`page-${index}`) });
    }
    const first = await server.send("GET", `${path}?limit=2`);
    await server.send("POST", path, { body: configMap("page-25") });
    await server.send("DELETE", `${path}/page-4`);
    const metadata = first.json["metadata"] as Record<string, string>;
    assert.equal(metadata["remainingItemCount"], 3);
    const token = encodeURIComponent(metadata["continue"] ?? "");
    const second = await server.send("GET", `${path}?limit=5&continue=${token}`);
    assert.deepEqual(names(first.json), ["page-0", "page-1"]);
    assert.deepEqual(names(second.json), ["page-2", "page-3", "page-4"]);
  });

  test("[API-1] a watch sees each change once, in order", { timeout: 60_000 }, async () => {
    const path = "/api/v1/namespaces/kube-node-lease/configmaps";
    const { json: list } = await server.send("GET", path);
    const { resourceVersion } = list["metadata"] as { resourceVersion: string };
    const events = openWatch(server, `${path}?watch=true&resourceVersion=${resourceVersion}`);
    const { json } = await server.send("POST", path, { body: configMap("seen") });
    await server.send("PUT", `${path}/seen`, { body: { ...json, data: { a: "1" } } });
    await server.send("DELETE", `${path}/seen`);
    const seen = await take(events, 3);
    assert.deepEqual(
      seen.map(({ type }) => type),
      ["ADDED", "MODIFIED", "DELETED"],
    );
    const versions = seen.map(({ object }) => Number(object.metadata?.resourceVersion));
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
    await events.return(undefined);
  });

  test("[API-1] a watch with initial events ends them with a bookmark", {
    timeout: 60_000,
  }, async () => {
    const events = openWatch(
      server,
      "/api/v1/namespaces?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    );
    const seen = await take(events, 5);
    await events.return(undefined);
    assert.deepEqual(
      seen.map(({ type }) => type),
      ["ADDED", "ADDED", "ADDED", "ADDED", "BOOKMARK"],
    );
    assert.equal(seen[4]?.object.metadata?.annotations?.["k8s.io/initial-events-end"], "true");
  });

  test("[API-1] discovery comes whole or in parts", async () => {
    const whole = await server.send("GET", "/apis", {
      headers: {
        accept:
          "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
      },
    });
    assert.equal(
      whole.headers["content-type"],
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    );
    const same = await server.send("GET", "/apis", {
      headers: {
        accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "if-none-match": whole.headers.etag ?? "",
      },
    });
    assert.equal(same.status, 304);
    const parts = await server.send("GET", "/apis/apps/v1");
    const resources = parts.json["resources"] as { name: string }[];
    assert.ok(resources.some(({ name }) => name === "deployments/scale"));
  });

  test("[API-4] what does not fit its schema is refused", async () => {
    const wrong = await server.send("POST", configMaps, {
      body: { metadata: { name: "w" }, data: { a: 1 } },
    });
    assert.equal(wrong.status, 400);
    const strict = await server.send("POST", `${configMaps}?fieldValidation=Strict`, {
      body: { metadata: { name: "w" }, dat: {} },
    });
    assert.equal(strict.status, 400);
    assert.equal(
      strict.json["message"],
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    );
    const warned = await server.send("POST", configMaps, {
      body: { metadata: { name: "w" }, dat: {} },
    });
    assert.equal(warned.status, 201);
    assert.equal(warned.headers["warning"], '299 - "unknown field \\"dat\\""');
  });
});

test("[API-3] without a way to tell who asks, only health and version are answered", async () => {
  await using server = await startServer({ access: () => ({}) });
  for (const path of ["/api", "/apis", "/api/v1/pods", "/metrics", "/openapi/v2"]) {
    assert.equal((await server.send("GET", path)).status, 401, path);
  }
  for (const path of ["/version", "/livez", "/readyz", "/healthz"]) {
    assert.equal((await server.send("GET", path)).status, 200, path);
  }
});

function names(list: Record<string, unknown>): string[] {
  return (list["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pod } from "../types/core.ts";
import { isAlreadyExists, isConflict, isGone, isNotFound } from "./errors.ts";
import { named, podsOfNode, podsOfServiceController, withFields } from "./field-selectors.ts";
import { type CustomObject, keyOf, splitKey } from "./objects.ts";
import { bindPod, requestToken } from "./subresources.ts";
import { FakeApi } from "./testing/api.ts";
import { evictPod } from "./testing/evict-pod.ts";

const pod = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { namespace: "default", name, labels },
  spec: { containers: [{ name: "main" }] },
});

describe("what is asked", () => {
  const asking = async (ask: (api: FakeApi) => Promise<unknown>): Promise<string> => {
    const api = new FakeApi();
    let asked = "";
    api.fault = ({ method, path, headers = {}, body }) => {
      const type = headers["content-type"] === undefined ? "" : ` ${headers["content-type"]}`;
      const text = body === undefined ? "" : ` ${Buffer.from(body).toString()}`;
      asked = `${method} ${decodeURIComponent(path)}${type}${text}`;
      return new Error("enough");
    };
    await assert.rejects(ask(api), /enough/);
    return asked;
  };
  const place = { namespace: "n", name: "a" };

  const cases: [string, (api: FakeApi) => Promise<unknown>, string][] = [
    [
      "get",
      ({ client }) => client.resource("v1", "Pod").get(place),
      "GET /api/v1/namespaces/n/pods/a",
    ],
    [
      "get of what has no namespace",
      ({ client }) => client.resource("v1", "Node").get({ name: "a" }),
      "GET /api/v1/nodes/a",
    ],
    [
      "list",
      ({ client }) =>
        client.resource("apps/v1", "Deployment").list({ labelSelector: "a in (b)", limit: 5 }),
      "GET /apis/apps/v1/deployments?labelSelector=a+in+(b)&limit=5",
    ],
    [
      "update",
      ({ client }) =>
        client.resource("v1", "ConfigMap").update({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { ...place, resourceVersion: "7" },
        }),
      'PUT /api/v1/namespaces/n/configmaps/a?fieldManager=fake application/json {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n","name":"a","resourceVersion":"7"}}',
    ],
    [
      "merge patch",
      ({ client }) =>
        client
          .resource("v1", "Pod")
          .patch(place, { merge: { metadata: { labels: { a: null } } } }, { dryRun: true }),
      'PATCH /api/v1/namespaces/n/pods/a?fieldManager=fake&dryRun=All application/merge-patch+json {"metadata":{"labels":{"a":null}}}',
    ],
    [
      "JSON patch of a status",
      ({ client }) =>
        client
          .resource("v1", "Pod")
          .patchStatus(
            place,
            { json: [{ op: "remove", path: "/status" }] },
            { fieldManager: "me" },
          ),
      'PATCH /api/v1/namespaces/n/pods/a/status?fieldManager=me application/json-patch+json [{"op":"remove","path":"/status"}]',
    ],
    [
      "strategic patch",
      ({ client }) => client.resource("v1", "Pod").patch(place, { strategic: { spec: {} } }),
      'PATCH /api/v1/namespaces/n/pods/a?fieldManager=fake application/strategic-merge-patch+json {"spec":{}}',
    ],
    [
      "apply",
      ({ client }) =>
        client
          .resource("v1", "Node")
          .apply({ metadata: { name: "a", labels: { x: "y" } } }, { force: true }),
      'PATCH /api/v1/nodes/a?fieldManager=fake&force=true application/apply-patch+yaml {"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{"x":"y"}}}',
    ],
    [
      "delete",
      ({ client }) =>
        client
          .resource("v1", "Pod")
          .delete(place, { gracePeriodSeconds: 0, preconditions: { uid: "u" }, dryRun: true }),
      'DELETE /api/v1/namespaces/n/pods/a application/json {"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,"preconditions":{"uid":"u"},"dryRun":["All"]}',
    ],
    [
      "delete of many",
      ({ client }) =>
        client.resource("v1", "Pod").deleteCollection({ namespace: "n", labelSelector: "a" }),
      'DELETE /api/v1/namespaces/n/pods?labelSelector=a application/json {"apiVersion":"v1","kind":"DeleteOptions"}',
    ],
    [
      "watch",
      ({ client }) =>
        client
          .resource("v1", "Pod")
          .watch({ ...podsOfNode("x"), resourceVersion: "5", bookmarks: true }),
      "GET /api/v1/pods?watch=true&fieldSelector=spec.nodeName=x&resourceVersion=5&allowWatchBookmarks=true",
    ],
    [
      "watch with initial events",
      ({ client }) =>
        client.resource("v1", "Pod").watch({ initialEvents: true, timeoutSeconds: 9 }),
      "GET /api/v1/pods?watch=true&timeoutSeconds=9&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    ],
    [
      "scale",
      ({ client }) => client.resource("apps/v1", "ReplicaSet").scale(place, 3),
      'PATCH /apis/apps/v1/namespaces/n/replicasets/a/scale?fieldManager=fake application/merge-patch+json {"spec":{"replicas":3}}',
    ],
    [
      "bind",
      ({ client }) => bindPod(client.resource("v1", "Pod"), place, { node: "x" }),
      'POST /api/v1/namespaces/n/pods/a/binding?fieldManager=fake application/json {"apiVersion":"v1","kind":"Binding","metadata":{"namespace":"n","name":"a"},"target":{"apiVersion":"v1","kind":"Node","name":"x"}}',
    ],
    [
      "evict",
      ({ client }) => evictPod(client.resource("v1", "Pod"), place, { gracePeriodSeconds: 1 }),
      'POST /api/v1/namespaces/n/pods/a/eviction?fieldManager=fake application/json {"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"n","name":"a"},"deleteOptions":{"gracePeriodSeconds":1}}',
    ],
    [
      "token",
      ({ client }) =>
        requestToken(client.resource("v1", "ServiceAccount"), place, {
          spec: { audiences: ["x"] },
        }),
      'POST /api/v1/namespaces/n/serviceaccounts/a/token?fieldManager=fake application/json {"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["x"]}}',
    ],
  ];
  for (const [name, ask, expected] of cases) {
    test(name, async () => assert.equal(await asking(ask), expected));
  }

  test("metadata alone, of one and of many", async () => {
    const accepted: (string | undefined)[] = [];
    const api = new FakeApi();
    api.fault = ({ headers }) => {
      accepted.push(headers?.["accept"]);
      return undefined;
    };
    const { definition } = api.client.resource("v1", "Pod");
    const pods = api.client.metadata<Pod>(definition);
    await pods.list();
    await assert.rejects(pods.get(place), isNotFound);
    assert.deepEqual(accepted, [
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    ]);
    assert.notEqual(pods.id, api.client.resource("v1", "Pod").id);
  });

  test("an object in a namespace is not asked for without one", async () => {
    const pods = new FakeApi().client.resource("v1", "Pod");
    await assert.rejects(
      async () => pods.get({ namespace: "", name: "a" }),
      /its namespace is missing/,
    );
  });
});

describe("objects come and go", () => {
  test("create, get, list, patch, update and delete do what they say, and conflicts are told", async () => {
    const { client } = new FakeApi();
    const pods = client.resource("v1", "Pod");
    const created = await pods.create(pod("a"));
    assert.equal(created.kind, "Pod");
    await assert.rejects(pods.create(pod("a")), isAlreadyExists);
    const labelled = await pods.patch(created.metadata, {
      merge: { metadata: { labels: { a: "b" } } },
    });
    await assert.rejects(
      pods.update({ ...created, spec: { ...created.spec, nodeName: "x" } }),
      isConflict,
    );
    await pods.updateStatus({ ...labelled, status: { phase: "Running" } });
    const read = await pods.get({ namespace: "default", name: "a" });
    assert.deepEqual([read.status?.phase, read.metadata.labels], ["Running", { a: "b" }]);
    await pods.delete(read.metadata);
    await assert.rejects(pods.get(read.metadata), isNotFound);
  });

  test("a list is read page by page, and each item says what it is", async () => {
    const api = new FakeApi();
    const pods = api.client.resource("v1", "Pod");
    for (const name of ["a", "b", "c", "d", "e"]) await pods.create(pod(name));
    const { items } = await pods.listAll({ limit: 2 });
    assert.deepEqual(
      items.map((item) => `${item.apiVersion} ${item.kind} ${keyOf(item)}`),
      ["a", "b", "c", "d", "e"].map((name) => `v1 Pod default/${name}`),
    );
    assert.equal(api.asked.filter((asked) => asked.startsWith("GET")).length, 3);
  });

  test("a page whose revision is forgotten is gone", async () => {
    const api = new FakeApi();
    const pods = api.client.resource("v1", "Pod");
    for (const name of ["a", "b"]) await pods.create(pod(name));
    const page = await pods.list({ limit: 1 });
    await pods.create(pod("c"));
    api.compact();
    await assert.rejects(pods.list({ limit: 1, continue: page.continue }), isGone);
  });

  test("a kind without types is reached by its group, version and plural", async () => {
    const { client } = new FakeApi();
    const definition = {
      group: "example.com",
      version: "v1",
      plural: "things",
      kind: "Thing",
      namespaced: true,
    };
    const things = client.custom(definition);
    const metadata = { namespace: "n", name: "a" };
    const thing: CustomObject = await things.create({ metadata, spec: { size: 1 } });
    assert.deepEqual([thing.apiVersion, thing["spec"]], ["example.com/v1", { size: 1 }]);
    const patched = await things.patch(metadata, { merge: { spec: { size: 2 } } });
    assert.deepEqual(patched["spec"], { size: 2 });
  });
});

describe("selectors", () => {
  test("[PROP-3] the pods of a service controller are one selector", () => {
    assert.deepEqual(podsOfServiceController("example.com/lb"), {
      fieldSelector: "status.podIPs.serviceControllerName=example.com/lb",
    });
  });

  test("escape what has a meaning in them", () => {
    assert.deepEqual(named("a,b=c\\d"), { fieldSelector: "metadata.name=a\\,b\\=c\\\\d" });
    assert.deepEqual(withFields({ a: "1", b: "2" }), { fieldSelector: "a=1,b=2" });
  });
});

test("keys are taken apart as they are put together", () => {
  for (const key of ["node", "namespace/name"]) {
    const { namespace, name } = splitKey(key);
    assert.equal(keyOf({ metadata: namespace === "" ? { name } : { namespace, name } }), key);
  }
});

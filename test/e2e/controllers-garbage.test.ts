import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/api/client/client.ts";
import { isNotFound } from "../../src/api/client/errors.ts";
import type { ApiObject } from "../../src/api/client/objects.ts";
import type { ConfigMap } from "../../src/api/types/core.ts";
import type { OwnerReference } from "../../src/api/types/meta.ts";
import { garbageCollection } from "../../src/control/controllers/garbage/garbage-collector.ts";
import { startControlled, until } from "../fixtures/controllers.ts";
import { widgetDefinition, widgets } from "../fixtures/widgets.ts";

const namespace = "default";

function ownedBy(object: ApiObject, blockOwnerDeletion = true): OwnerReference {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", blockOwnerDeletion };
}

async function createMap(
  client: Client,
  name: string,
  more: { owners?: OwnerReference[]; finalizers?: string[]; namespace?: string } = {},
): Promise<ConfigMap> {
  const { owners: ownerReferences = [], finalizers = [] } = more;
  const metadata = { namespace: more.namespace ?? namespace, name, ownerReferences, finalizers };
  return await client.resource("v1", "ConfigMap").create({ metadata });
}

async function names(client: Client, where = namespace): Promise<string> {
  const { items } = await client.resource("v1", "ConfigMap").list({ namespace: where });
  return items
    .map(({ metadata }) => metadata.name)
    .toSorted()
    .join();
}

test("in the background dependents follow their owner, down to the last", async () => {
  await using server = await startControlled([garbageCollection]);
  const { client } = server;
  const root = await createMap(client, "root");
  const child = await createMap(client, "child", { owners: [ownedBy(root)] });
  await createMap(client, "grandchild", { owners: [ownedBy(child)] });
  const other = await createMap(client, "other");
  await createMap(client, "shared", { owners: [ownedBy(root), ownedBy(other)] });
  await client.resource("v1", "ConfigMap").delete({ namespace, name: "root" });
  await until(
    () => names(client),
    (left) => left === "other,shared",
  );
  const shared = await until(
    () => client.resource("v1", "ConfigMap").get({ namespace, name: "shared" }),
    ({ metadata }) => metadata.ownerReferences?.length === 1,
  );
  assert.equal(shared.metadata.ownerReferences?.[0]?.name, "other");
});

test("in the foreground the owner goes last", async () => {
  await using server = await startControlled([garbageCollection]);
  const { client } = server;
  const maps = client.resource("v1", "ConfigMap");
  const root = await createMap(client, "root");
  const held = { owners: [ownedBy(root)], finalizers: ["example.com/hold"] };
  await createMap(client, "held", held);
  await createMap(client, "free", { owners: [ownedBy(root)] });
  await maps.delete({ namespace, name: "root" }, { propagationPolicy: "Foreground" });
  await until(
    () => names(client),
    (left) => left === "held,root",
  );
  const waiting = await maps.get({ namespace, name: "root" });
  assert.deepEqual(waiting.metadata.finalizers, ["foregroundDeletion"]);
  await maps.patch({ namespace, name: "held" }, { merge: { metadata: { finalizers: [] } } });
  await until(
    () => names(client),
    (left) => left === "",
  );
});

test("orphans stay, without their owner", async () => {
  await using server = await startControlled([garbageCollection]);
  const { client } = server;
  const maps = client.resource("v1", "ConfigMap");
  const root = await createMap(client, "root");
  await createMap(client, "child", { owners: [ownedBy(root)] });
  await maps.delete({ namespace, name: "root" }, { propagationPolicy: "Orphan" });
  await until(
    () => names(client),
    (left) => left === "child",
  );
  const { metadata } = await maps.get({ namespace, name: "child" });
  assert.deepEqual(metadata.ownerReferences ?? [], []);
});

test("owners that never were, in another namespace or of other uids count as absent", async () => {
  await using server = await startControlled([garbageCollection]);
  const { client } = server;
  const owner = await createMap(client, "owner");
  await createMap(client, "abroad", { owners: [ownedBy(owner)], namespace: "kube-public" });
  await createMap(client, "namesake", { owners: [{ ...ownedBy(owner), uid: "another" }] });
  await createMap(client, "child", { owners: [ownedBy(owner)] });
  await until(
    () => names(client, "kube-public"),
    (left) => left === "",
  );
  await until(
    () => names(client),
    (left) => left === "child,owner",
  );
  await until(
    async () => (await client.resource("v1", "Event").list()).items,
    (events) => events.some(({ reason }) => reason === "OwnerRefInvalidNamespace"),
  );
});

test("what has no namespace is not removed for an owner that has one", async () => {
  await using server = await startControlled([garbageCollection]);
  const { client } = server;
  const owner = await createMap(client, "owner");
  const nodes = client.resource("v1", "Node");
  await nodes.create({ metadata: { name: "n1", ownerReferences: [ownedBy(owner)] }, spec: {} });
  await client.resource("v1", "ConfigMap").delete({ namespace, name: "owner" });
  await until(
    async () => (await client.resource("v1", "Event").list()).items,
    (events) => events.some(({ reason }) => reason === "OwnerRefInvalidNamespace"),
  );
  assert.equal((await nodes.get({ name: "n1" })).metadata.deletionTimestamp, undefined);
});

test("custom resources own and are owned, also when the collector starts after the owner is gone", async () => {
  await using server = await startControlled([garbageCollection]);
  const { client } = server;
  const definitions = client.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  await definitions.create(widgetDefinition);
  const custom = client.custom(widgets);
  const isServed = async () => {
    try {
      await custom.list({ namespace });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };
  await until(isServed, (is) => is);
  const widget = await custom.create({ metadata: { namespace, name: "w" } });
  const child = await createMap(client, "child", { owners: [ownedBy(widget)] });
  await custom.create({
    metadata: { namespace, name: "grandchild", ownerReferences: [ownedBy(child)] },
  });
  await server.restart([]);
  await custom.delete({ namespace, name: "w" });
  await server.restart([garbageCollection]);
  await until(
    () => names(client),
    (left) => left === "",
  );
  await until(
    async () => (await custom.list({ namespace })).items.length,
    (left) => left === 0,
  );
});

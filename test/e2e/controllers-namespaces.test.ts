import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/api/client/client.ts";
import { isNotFound } from "../../src/api/client/errors.ts";
import { createBootstrapToken } from "../../src/control/apiserver/security/bootstrap-token.ts";
import { accountControllers } from "../../src/control/controllers/accounts/controllers.ts";
import { namespaceDeletion } from "../../src/control/controllers/namespaces/namespace-controller.ts";
import { startControlled, until } from "../fixtures/controllers.ts";
import { widgetDefinition, widgets } from "../fixtures/widgets.ts";

async function isThere(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function createNamespace(client: Client, name: string): Promise<void> {
  await client.resource("v1", "Namespace").create({ metadata: { name }, spec: {} });
}

test("a namespace goes with everything in it, custom resources too, when finalizers let go", async () => {
  await using server = await startControlled([namespaceDeletion]);
  const { client } = server;
  const definitions = client.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  await definitions.create(widgetDefinition);
  await createNamespace(client, "going");
  const maps = client.resource("v1", "ConfigMap");
  const held = { namespace: "going", name: "held" };
  await maps.create({ metadata: { namespace: "going", name: "plain" } });
  await maps.create({ metadata: { ...held, finalizers: ["example.com/hold"] } });
  const custom = client.custom(widgets);
  await until(
    () => isThere(() => custom.list({ namespace: "going" })),
    (isServed) => isServed,
  );
  await custom.create({ metadata: { namespace: "going", name: "w" } });
  const spaces = client.resource("v1", "Namespace");
  await spaces.delete({ name: "going" });
  const waiting = await until(
    () => spaces.get({ name: "going" }),
    ({ status }) =>
      (status?.conditions ?? []).some(
        ({ type, status: value }) => type === "NamespaceFinalizersRemaining" && value === "True",
      ),
  );
  const messages = Object.fromEntries(
    (waiting.status?.conditions ?? []).map(({ type, message }) => [type, message]),
  );
  assert.equal(
    messages["NamespaceFinalizersRemaining"],
    "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  );
  assert.equal(
    messages["NamespaceContentRemaining"],
    "Some resources are remaining: configmaps has 1 resource instances",
  );
  assert.equal(await isThere(() => custom.get({ namespace: "going", name: "w" })), false);
  await maps.patch(held, { merge: { metadata: { finalizers: [] } } });
  await until(
    () => isThere(() => spaces.get({ name: "going" })),
    (isLeft) => !isLeft,
  );
});

test("every namespace has an account and the server's certificate, and gets them back", async () => {
  const authority = "-----BEGIN CERTIFICATE-----\n";
  const entries = [...accountControllers({ authority }), namespaceDeletion];
  await using server = await startControlled(entries);
  const { client } = server;
  const accounts = client.resource("v1", "ServiceAccount");
  const maps = client.resource("v1", "ConfigMap");
  await createNamespace(client, "mine");
  const account = { namespace: "mine", name: "default" };
  const root = { namespace: "mine", name: "kube-root-ca.crt" };
  const isComplete = async () =>
    (await isThere(() => accounts.get(account))) &&
    (await isThere(() => maps.get(root))) &&
    (await maps.get(root)).data?.["ca.crt"] === authority;
  await until(isComplete, (is) => is);
  await accounts.delete(account);
  await maps.patch(root, { merge: { data: { "ca.crt": "forged", more: "x" } } });
  await until(isComplete, (is) => is);
  assert.deepEqual((await maps.get(root)).data, { "ca.crt": authority });
  await client.resource("v1", "Namespace").delete({ name: "mine" });
  await until(
    () => isThere(() => client.resource("v1", "Namespace").get({ name: "mine" })),
    (isLeft) => !isLeft,
  );
});

test("[API-6] tokens to join with are removed when they have expired, and not before", async () => {
  await using server = await startControlled(accountControllers({ authority: "" }));
  const { client } = server;
  const secrets = client.resource("v1", "Secret");
  const create = async (livesMs: number) => {
    const { secret } = createBootstrapToken({ expires: new Date(Date.now() + livesMs) });
    const { metadata, type, data } = secret;
    return (await secrets.create({ metadata, type, data: { ...data } })).metadata;
  };
  const [old, short, long] = [await create(-1000), await create(500), await create(3_600_000)];
  for (const gone of [old, short]) {
    await until(
      () => isThere(() => secrets.get(gone)),
      (isLeft) => !isLeft,
    );
  }
  assert.ok(await isThere(() => secrets.get(long)));
});

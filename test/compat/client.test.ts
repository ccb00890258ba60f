// Every verb of the client, at a real server over TLS.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { staticCredentials } from "../../src/api/client/access.ts";
import type { Client } from "../../src/api/client/client.ts";
import { connect } from "../../src/api/client/connect.ts";
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isUnauthorized,
  isUntrusted,
} from "../../src/api/client/errors.ts";
import { podsOfNode, podsOfServiceController } from "../../src/api/client/field-selectors.ts";
import { bindPod, requestToken } from "../../src/api/client/subresources.ts";
import { evictPod } from "../../src/api/client/testing/evict-pod.ts";
import type { ConfigMap } from "../../src/api/types/core.ts";
import { Registry } from "../../src/base/program/metrics.ts";
import { TestServer } from "../fixtures/server.ts";
import { clientOf, clock, eventually, random } from "./client.fixture.ts";

describe("the client", { timeout: 240_000 }, () => {
  let server: TestServer;
  let client: Client & Disposable;
  before(async () => {
    // Controllers write config maps too.
    server = await TestServer.start({ arguments: ["--controllers="] });
    client = await clientOf(server.kubeconfig);
  });
  after(async () => {
    client?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const map = (name: string, data: Record<string, string> = {}) => ({
    metadata: { namespace: "default", name, labels: { of: "client" } },
    data,
  });
  const container = { name: "main", image: "example.com/app:1" };

  test("creates, reads, updates and deletes", async () => {
    const maps = client.resource("v1", "ConfigMap");
    const created = await maps.create(map("a", { a: "ü" }));
    await assert.rejects(maps.create(map("a")), isAlreadyExists);
    assert.deepEqual(await maps.get(created.metadata), created);
    const updated = await maps.update({ ...created, data: { a: "2" } });
    assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion);
    await assert.rejects(maps.update({ ...created, data: { a: "3" } }), isConflict);
    const { metadata } = created;
    await assert.rejects(maps.delete(metadata, { preconditions: { uid: "another" } }), isConflict);
    await maps.delete(metadata, { dryRun: true });
    await maps.delete(metadata);
    await assert.rejects(maps.get(metadata), (error) => {
      assert.ok(isNotFound(error));
      assert.deepEqual(error.details, { name: "a", kind: "configmaps" });
      return true;
    });
  });

  test("applies merge, JSON and strategic merge patches", async () => {
    const maps = client.resource("v1", "ConfigMap");
    const { metadata } = await maps.create(map("patched", { a: "1", b: "1" }));
    await maps.patch(metadata, { merge: { data: { a: null, c: "1" } } });
    await maps.patch(metadata, { json: [{ op: "replace", path: "/data/b", value: "2" }] });
    const { data } = await maps.patch(metadata, { strategic: { data: { d: "1" } } });
    assert.deepEqual(data, { b: "2", c: "1", d: "1" });
  });

  test("applies, and hears of fields that others own", async () => {
    const maps = client.resource("v1", "ConfigMap");
    const metadata = { namespace: "default", name: "applied" };
    await maps.apply({ metadata, data: { a: "1" } });
    const other = { metadata, data: { a: "2" } };
    await assert.rejects(maps.apply(other, { fieldManager: "other" }), (error) => {
      assert.ok(isConflict(error));
      assert.equal(error.details?.causes?.[0]?.field, ".data.a");
      return true;
    });
    const applied = await maps.apply(other, { fieldManager: "other", force: true });
    assert.deepEqual(applied.data, { a: "2" });
  });

  test("lists in pages, by labels, and deletes what is selected", async () => {
    const maps = client.resource("v1", "ConfigMap");
    for (let number = 0; number < 7; number++) {
      const labels = { parity: number % 2 === 0 ? "even" : "odd" };
      await maps.create({ metadata: { namespace: "kube-public", name: `m${number}`, labels } });
    }
    const names = (items: readonly ConfigMap[]) => items.map(({ metadata }) => metadata.name);
    const odd = { namespace: "kube-public", labelSelector: "parity=odd" };
    assert.deepEqual(names((await maps.listAll({ ...odd, limit: 2 })).items), ["m1", "m3", "m5"]);
    await maps.deleteCollection(odd);
    const left = await maps.list({ namespace: "kube-public", labelSelector: "parity" });
    assert.deepEqual(names(left.items), ["m0", "m2", "m4", "m6"]);
    assert.deepEqual([left.items[0]?.apiVersion, left.items[0]?.kind], ["v1", "ConfigMap"]);
  });

  test("watches from a version, and hears what cannot be watched", async () => {
    const maps = client.resource("v1", "ConfigMap");
    const { resourceVersion } = await maps.list({ namespace: "kube-node-lease" });
    const stop = new AbortController();
    const selection = { namespace: "kube-node-lease", resourceVersion, signal: stop.signal };
    const events = await maps.watch(selection);
    const metadata = { namespace: "kube-node-lease", name: "w" };
    await maps.create({ metadata });
    await maps.patch(metadata, { merge: { data: { a: "1" } } });
    await maps.delete(metadata);
    const types: string[] = [];
    for await (const { type } of events) if (types.push(type) === 3) break;
    assert.deepEqual(types, ["ADDED", "MODIFIED", "DELETED"]);
    const wrong = maps.watch({ ...selection, fieldSelector: "spec.nothing=1" });
    await assert.rejects(wrong, isBadRequest);
  });

  test("[PROP-3] finds and watches the pods of a service controller by one selector", async () => {
    const pods = client.resource("v1", "Pod");
    const place = { namespace: "default", name: "claimed" };
    const { resourceVersion } = await pods.list();
    const stop = new AbortController();
    const selection = podsOfServiceController("example.com/lb");
    const events = await pods.watch({ ...selection, resourceVersion, signal: stop.signal });
    await pods.create({ metadata: place, spec: { containers: [container] } });
    const properties = { "service.kubernetes.io/service-controller-name": "example.com/lb" };
    const status = { podIP: "10.1.0.5", podIPs: [{ ip: "10.1.0.5", properties }] };
    await pods.patchStatus(place, { merge: { status } });
    for await (const event of events) {
      assert.equal(event.type, "ADDED");
      if (event.type === "ADDED") assert.deepEqual(event.object.status?.podIPs, status.podIPs);
      break;
    }
    assert.equal((await pods.list(selection)).items.length, 1);
    assert.equal((await pods.list(podsOfServiceController("another"))).items.length, 0);
  });

  test("binds and evicts pods, scales, and gets tokens", async () => {
    const pods = client.resource("v1", "Pod");
    const place = { namespace: "default", name: "bound" };
    await client.resource("v1", "Node").create({ metadata: { name: "node-a" }, spec: {} });
    await pods.create({ metadata: place, spec: { containers: [container] } });
    await bindPod(pods, place, { node: "node-a" });
    await assert.rejects(bindPod(pods, place, { node: "node-a" }), isConflict);
    assert.equal((await pods.list(podsOfNode("node-a"))).items[0]?.metadata.name, "bound");
    await evictPod(pods, place, { gracePeriodSeconds: 0 });
    await assert.rejects(pods.get(place), isNotFound);

    const deployments = client.resource("apps/v1", "Deployment");
    const deployment = { namespace: "default", name: "scaled" };
    const labels = { app: "scaled" };
    await deployments.create({
      metadata: deployment,
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await deployments.scale(deployment, 3);
    assert.equal((await deployments.getScale(deployment)).spec?.replicas, 3);
    const { spec } = await deployments.get(deployment);
    assert.equal(spec.replicas, 3);

    const accounts = client.resource("v1", "ServiceAccount");
    const account = { namespace: "default", name: "robot" };
    await accounts.create({ metadata: account });
    const { token, expires } = await requestToken(accounts, account, {
      spec: { expirationSeconds: 600 },
    });
    assert.ok(expires.getTime() > Date.now());
    const robot = connect(await accessWith(`Bearer ${token}`), {
      component: "robot",
      clock,
      random,
    });
    await assert.rejects(robot.resource("v1", "Secret").list(), isForbidden);
    robot.transport.close();
  });

  test("says who it is not, and whom it does not trust", async () => {
    const metrics = new Registry();
    const options = { component: "x", clock, random, metrics };
    const nobody = connect(await accessWith("Bearer nonsense"), options);
    await assert.rejects(nobody.resource("v1", "Pod").list(), isUnauthorized);
    const counted = 'rest_client_requests_total{method="GET",outcome="Unauthorized"} 1\n';
    assert.ok(metrics.render().includes(counted), metrics.render());
    nobody.transport.close();
    const { authorities: _, ...access } = await accessWith("Bearer nonsense");
    const stranger = connect(access, { component: "x", clock, random });
    await assert.rejects(stranger.resource("v1", "Pod").list(), isUntrusted);
    stranger.transport.close();
    const careless = connect({ ...access, insecure: true }, { component: "x", clock, random });
    await assert.rejects(careless.resource("v1", "Pod").list(), isUnauthorized);
    careless.transport.close();
  });

  test("takes tokens from programs and files, and looks for newer ones when they are refused", async () => {
    const accounts = client.resource("v1", "ServiceAccount");
    const account = { namespace: "default", name: "rotated" };
    await accounts.create({ metadata: account });
    const { token } = await requestToken(accounts, account, { spec: { expirationSeconds: 600 } });
    const stale = join(server.directory, "token");
    const apiVersion = "client.authentication.k8s.io/v1";
    const credential = (text: string) =>
      JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: text } });
    const users = [
      { tokenFile: stale, fresh: token, first: "old" },
      {
        exec: { apiVersion, command: "cat", args: [stale] },
        fresh: credential(token),
        first: credential("old"),
      },
    ];
    const cluster = {
      server: server.url,
      "certificate-authority-data": server.tls.ca?.toString("base64"),
    };
    for (const { fresh, first, ...user } of users) {
      const file = join(server.directory, "rotated.kubeconfig");
      await writeFile(stale, first);
      await writeFile(
        file,
        JSON.stringify({
          clusters: [{ name: "a", cluster }],
          users: [{ name: "a", user }],
          contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
          "current-context": "a",
        }),
      );
      using robot = await clientOf(file);
      const secrets = robot.resource("v1", "Secret");
      await assert.rejects(secrets.list(), isUnauthorized);
      await writeFile(stale, fresh);
      await assert.rejects(secrets.list(), isForbidden, "known by now, but not allowed to");
    }
  });

  test("shows a new certificate on new connections, and lets a watch go on", async () => {
    const { ca, cert, key } = server.tls;
    const shown = { certificate: cert?.toString(), key: key?.toString() };
    const nothing = {};
    let current: typeof shown | typeof nothing = shown;
    const credentials = { current: async () => current, reject: () => undefined };
    const access = {
      server: new URL(server.url),
      authorities: ca?.toString(),
      namespace: "default",
    };
    const own = connect({ ...access, credentials }, { component: "rotating", clock, random });
    const maps = own.resource("v1", "ConfigMap");
    const { resourceVersion } = await maps.list();
    const events = await maps.watch({ resourceVersion, labelSelector: "rotated" });
    current = nothing;
    await assert.rejects(maps.list(), isUnauthorized);
    const metadata = { namespace: "default", name: "rotated", labels: { rotated: "" } };
    await client.resource("v1", "ConfigMap").create({ metadata });
    for await (const { type } of events) {
      assert.equal(type, "ADDED");
      break;
    }
    own.transport.close();
  });

  test("hears which field is wrong", async () => {
    const services = client.resource("v1", "Service");
    const metadata = { namespace: "default", name: "wrong" };
    await assert.rejects(services.create({ metadata, spec: { ports: [{ port: 0 }] } }), (error) => {
      assert.ok(isInvalid(error));
      assert.equal(error.details?.causes?.[0]?.field, "spec.ports[0].port");
      return true;
    });
  });

  test("knows custom resources, and metadata alone", async () => {
    const definitions = client.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
    const schema = {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    };
    await definitions.create({
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        names,
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const definition = { group: "example.com", version: "v1", namespaced: true, ...names };
    const things = client.custom(definition);
    const metadata = { namespace: "default", name: "one" };
    await eventually("the resource", async () => {
      try {
        await things.create({ metadata, spec: { size: 1 } });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    });
    assert.deepEqual((await things.get(metadata))["spec"], { size: 1 });
    const [only] = (await client.metadata(definition).list()).items;
    assert.equal(only?.metadata.name, "one");
    assert.equal("spec" in (only ?? {}), false);
  });

  async function accessWith(authorization: string) {
    const { ca } = server.tls;
    return {
      server: new URL(server.url),
      authorities: ca?.toString(),
      credentials: staticCredentials({ authorization }),
      namespace: "default",
    };
  }
});

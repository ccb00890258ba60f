import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import fc from "fast-check";
import type { Pod } from "../../types/core.ts";
import { keyOf } from "../objects.ts";
import { byNamespace, byNode, byOwner } from "./indexes.ts";
import { lost, recordChanges, setUpInformers } from "./testing/informer.ts";

describe("an informer", () => {
  let setting: ReturnType<typeof setUpInformers>;
  beforeEach(() => {
    setting = setUpInformers();
  });
  afterEach(() => setting.end());

  test("leaves out managedFields, or what a transform says", async () => {
    const { pods, informers } = setting;
    await pods.create({
      metadata: { namespace: "default", name: "a", managedFields: [{ manager: "m" }] },
      spec: { containers: [] },
    });
    const whole = informers.of(pods, { transform: (pod) => pod, namespace: "default" });
    const plain = await setting.start();
    assert.equal(plain.get("default/a")?.metadata.managedFields, undefined);
    assert.equal(whole.get("default/a")?.metadata.managedFields?.length, 1);
  });

  test("looks objects up by indexes, also by those that come late", async () => {
    const { pods, create, settle } = setting;
    await create("a", { app: "x" }, "node-1");
    const informer = await setting.start({ indexes: [byNode] });
    await create("b", { app: "x" }, "node-2");
    await settle();
    const byApp = ({ metadata }: Pod) => Object.values(metadata.labels ?? {});
    assert.throws(() => informer.by(byApp, "x"), /the index is not registered/);
    informer.addIndex(byApp);
    informer.addIndex(byNamespace);
    informer.addIndex(byOwner);
    const names = (found: Pod[]) => found.map(({ metadata }) => metadata.name);
    assert.deepEqual(names(informer.by(byNode, "node-1")), ["a"]);
    assert.deepEqual(names(informer.by(byApp, "x")), ["a", "b"]);
    assert.deepEqual(names(informer.by(byNamespace, "default")), ["a", "b"]);
    const owned = { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }] };
    await pods.patch(
      { namespace: "default", name: "a" },
      { merge: { metadata: owned, spec: { nodeName: "node-2" } } },
    );
    await settle();
    assert.deepEqual(names(informer.by(byNode, "node-1")), []);
    assert.deepEqual(names(informer.by(byNode, "node-2")).toSorted(), ["a", "b"]);
    assert.deepEqual(names(informer.by(byOwner, "u")), ["a"]);
  });

  test("tells under other keys about the object before and after", async () => {
    const { create, settle, pods } = setting;
    const informer = await setting.start();
    const nodes: string[] = [];
    informer.mapped((pod) => byNode(pod)).subscribe((node) => nodes.push(node));
    await create("a", {}, "node-1");
    await settle();
    await pods.patch(
      { namespace: "default", name: "a" },
      { merge: { spec: { nodeName: "node-2" } } },
    );
    await pods.delete({ namespace: "default", name: "a" });
    await settle();
    assert.deepEqual(nodes, ["node-1", "node-1", "node-2", "node-2"]);
  });

  test("tells late subscribers what is there, and those that left nothing", async () => {
    const { create, settle } = setting;
    await create("a");
    const informer = await setting.start();
    const keys: string[] = [];
    const leave = informer.subscribe((key) => keys.push(key));
    leave();
    await create("b");
    await settle();
    assert.deepEqual(keys, ["default/a"]);
  });

  test("is not disturbed by a subscriber that throws", async () => {
    const { create, settle, lines } = setting;
    const informer = await setting.start();
    informer.subscribe(() => {
      throw new Error("mine");
    });
    const told = recordChanges(informer);
    await create("a");
    await settle();
    assert.deepEqual(told, ["a 101"]);
    assert.deepEqual(
      lines.map(({ message }) => message),
      ["Cannot pass on a change"],
    );
  });

  test("follows only what is selected", async () => {
    const { create, settle, pods } = setting;
    await create("a", { app: "x" });
    await create("b", { app: "y" });
    const informer = await setting.start({ labelSelector: "app=x", namespace: "default" });
    const told = recordChanges(informer);
    await pods.patch(
      { namespace: "default", name: "b" },
      { merge: { metadata: { labels: { app: "x" } } } },
    );
    await pods.patch(
      { namespace: "default", name: "a" },
      { merge: { metadata: { labels: { app: "y" } } } },
    );
    await settle();
    assert.deepEqual(told, ["a 101", "b 103", "a -"]);
  });

  test("is shared by all who want the same", async () => {
    const { informers, pods, api } = setting;
    const one = informers.of(pods, { indexes: [byNode] });
    const two = informers.of(api.client.resource("v1", "Pod"), { indexes: [byNamespace] });
    assert.equal(one, two);
    assert.notEqual(informers.of(pods, { labelSelector: "a" }), one);
    assert.throws(() => informers.of(pods, { transform: (pod) => pod }), /the transforms differ/);
    setting.run();
    const late = informers.of(pods, { namespace: "late" });
    await setting.settle();
    await informers.synced();
    assert.ok(late.isSynced);
    for (const name of ["pods", "pods a", "pods late"]) {
      assert.ok(
        setting.metrics.render().includes(`informer_lists_total{name="${name}"} 1\n`),
        name,
      );
    }
  });

  test("stops when it is told to, whatever it is doing", async () => {
    const { api, stop, informers, pods, clock } = setting;
    informers.of(pods);
    const running = informers.run(stop.signal);
    await clock.advance(0);
    stop.abort();
    await running;
    assert.equal(api.watches, 0);
  });
});

test("whatever happens, the cache ends like the server, and every version is told once", async () => {
  const step = fc.constantFrom(
    "write",
    "write",
    "delete",
    "cut",
    "end",
    "down",
    "up",
    "compact",
    "wait",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 0, max: 4 }),
      async (steps, seed) => {
        const setting = setUpInformers();
        const { api, clock, pods, informers } = setting;
        const informer = informers.of(pods, { initial: seed % 2 === 0 ? "list" : "stream" });
        const told = recordChanges(informer);
        setting.run();
        let number = seed;
        const write = async () => {
          const name = `p${number++ % 5}`;
          const labels = { number: String(number) };
          await pods.apply({ metadata: { namespace: "default", name, labels } });
        };
        const { fault } = api;
        for (const each of steps) {
          const { fault: broken } = api;
          api.fault = fault;
          if (each === "write") await write();
          if (each === "delete") await pods.deleteCollection({ labelSelector: `number=${number}` });
          if (each === "compact") api.compact();
          api.fault = broken;
          if (each === "cut") api.endWatches(lost());
          if (each === "end") api.endWatches();
          if (each === "down") api.fault = lost;
          if (each === "up") api.fault = fault;
          if (each === "wait") await clock.advance(700);
        }
        api.fault = fault;
        await clock.advance(60_000);
        const { items } = await pods.listAll();
        const state = (objects: readonly Pod[]) =>
          objects.map((pod) => `${keyOf(pod)} ${pod.metadata.resourceVersion}`).toSorted();
        assert.deepEqual(state(informer.list()), state(items));
        const versions = told.filter((line) => !line.endsWith("-"));
        assert.equal(new Set(versions).size, versions.length, "none twice");
        await setting.end();
      },
    ),
    { numRuns: 60 },
  );
});

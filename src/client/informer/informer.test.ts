import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import fc from "fast-check";
import type { Pod } from "../../api/types/core.ts";
import { FakeClock } from "../../host/clock.fake.ts";
import { FakeRandom } from "../../host/random.fake.ts";
import { createLog } from "../../program/log.ts";
import { Registry } from "../../program/metrics.ts";
import { refused, unanswered } from "../errors.ts";
import { FakeApi } from "../fake/api.ts";
import { keyOf } from "../objects.ts";
import { byLabel, byNamespace, byNode, byOwner } from "./indexes.ts";
import type { Informer, InformerOptions } from "./informer.ts";
import { Informers } from "./informers.ts";

const lost = () => unanswered("GET", { reason: "ConnectionLost", state: "cut" });

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const lines: { level: string; message: string }[] = [];
  const log = createLog({
    format: "json",
    write: (line) => lines.push(JSON.parse(line) as { level: string; message: string }),
  });
  const metrics = new Registry();
  const informers = new Informers({ clock, random: new FakeRandom(), log, metrics });
  const stop = new AbortController();
  const pods = api.client.resource("v1", "Pod");
  const create = (name: string, labels: Record<string, string> = {}, nodeName = "") =>
    pods.create({
      metadata: { namespace: "default", name, labels },
      spec: { containers: [{ name: "main" }], nodeName },
    });
  const running: Promise<void>[] = [];
  return {
    api,
    clock,
    lines,
    metrics,
    informers,
    pods,
    create,
    stop,
    run: () => running.push(informers.run(stop.signal)),
    /** Lets everything happen that follows at once. */
    settle: () => clock.advance(0),
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await Promise.all(running);
    },
    versionOf: (informer: Informer<Pod>, key: string) =>
      informer.get(key)?.metadata.resourceVersion,
  };
}

describe("an informer", () => {
  let setting: ReturnType<typeof setUp>;
  beforeEach(() => {
    setting = setUp();
  });
  afterEach(() => setting.end());

  /** Keys with the version that the cache has when they are told, `-` when it has none. */
  const record = (informer: Informer<Pod>): string[] => {
    const told: string[] = [];
    informer.subscribe((key) =>
      told.push(`${key.slice(8)} ${setting.versionOf(informer, key) ?? "-"}`),
    );
    return told;
  };
  const start = async (options: InformerOptions<Pod> = {}) => {
    const informer = setting.informers.of(setting.pods, options);
    setting.run();
    await setting.settle();
    return informer;
  };

  for (const initial of ["list", "stream"] as const) {
    describe(`that begins with a ${initial}`, () => {
      test("holds what is there, and follows every change", async () => {
        const { create, pods, settle } = setting;
        await create("a");
        const informer = setting.informers.of(pods, { initial });
        const told = record(informer);
        assert.equal(informer.isSynced, false);
        setting.run();
        await settle();
        await informer.synced;
        const b = await create("b");
        await pods.patch(b.metadata, { merge: { metadata: { labels: { x: "y" } } } });
        await pods.delete({ namespace: "default", name: "a" });
        await settle();
        assert.deepEqual(told, ["a 101", "b 102", "b 103", "a -"]);
        assert.deepEqual(informer.list().map(keyOf), ["default/b"]);
      });

      test("resumes where it was when the connection is lost", async () => {
        const { api, create, clock, settle } = setting;
        const informer = await start({ initial });
        const told = record(informer);
        await create("a");
        await settle();
        api.fault = lost;
        api.endWatches(lost());
        await create("b").catch(() => undefined);
        await clock.advance(5_000);
        api.fault = () => undefined;
        await create("c");
        await clock.advance(20_000);
        assert.deepEqual(told, ["a 101", "c 102"]);
        const lists = api.asked.filter((asked) => asked.includes("limit=")).length;
        assert.equal(lists, initial === "list" ? 1 : 0);
      });

      test("reads everything anew when history is gone, and tells only what changed", async () => {
        const { api, create, clock, pods, settle } = setting;
        const same = await create("same");
        await create("changed");
        await create("deleted");
        const informer = await start({ initial });
        const told = record(informer);
        told.length = 0;
        api.fault = lost;
        api.endWatches();
        await clock.advance(1_000);
        api.fault = () => undefined;
        await pods.patch(
          { namespace: "default", name: "changed" },
          { merge: { metadata: { labels: { x: "y" } } } },
        );
        await pods.delete({ namespace: "default", name: "deleted" });
        await create("new");
        api.compact();
        await clock.advance(30_000);
        await settle();
        assert.deepEqual(told.toSorted(), ["changed 104", "deleted -", "new 106"]);
        assert.equal(informer.get("default/same")?.metadata.uid, same.metadata.uid);
      });
    });
  }

  test("falls back to a list when the server knows no initial events", async () => {
    const { api, create, lines } = setting;
    await create("a");
    api.fault = ({ path }) =>
      path.includes("sendInitialEvents")
        ? refused("GET", { code: 422, body: '{"kind":"Status","reason":"Invalid"}' })
        : undefined;
    const informer = await start({ initial: "stream" });
    await informer.synced;
    assert.equal(informer.size, 1);
    assert.deepEqual(lines, []);
  });

  test("falls back to a list when initial events never end", async () => {
    const { api, create, clock } = setting;
    await create("a");
    // As a server does that has never heard of them.
    const open = api.open.bind(api);
    api.open = (request) =>
      open({ ...request, path: request.path.replace("sendInitialEvents=true", "") });
    const informer = await start({ initial: "stream" });
    await setting.settle();
    assert.equal(informer.isSynced, false);
    await clock.advance(31_000);
    await informer.synced;
    assert.equal(informer.size, 1);
  });

  test("reads a list in one piece when its pages expire under it", async () => {
    const { api, create, clock } = setting;
    for (let number = 0; number < 600; number++) await create(`p${number}`);
    let pages = 0;
    api.fault = ({ path }) => {
      if (path.includes("continue=") && pages++ === 0) {
        return refused("GET", { code: 410, body: '{"kind":"Status","reason":"Expired"}' });
      }
      return undefined;
    };
    const informer = await start();
    await clock.advance(1_000);
    await informer.synced;
    assert.equal(informer.size, 600);
    assert.ok(api.asked.some((asked) => asked.includes("limit=0")));
  });

  test("reads everything anew from a server whose store is another", async () => {
    const { api, clock, create, lines } = setting;
    const informer = await start();
    await create("a");
    await setting.settle();
    const tooLarge = {
      kind: "Status",
      reason: "Timeout",
      details: { causes: [{ reason: "ResourceVersionTooLarge" }] },
    };
    api.fault = ({ path }) =>
      path.includes("watch=true")
        ? refused("GET", { code: 504, body: JSON.stringify(tooLarge) })
        : undefined;
    api.endWatches();
    await clock.advance(1_000);
    api.fault = () => undefined;
    await clock.advance(20_000);
    assert.equal(informer.size, 1);
    assert.ok(lines.some(({ message }) => message.startsWith("History is gone")));
  });

  test("goes on from a bookmark", async () => {
    const { api, clock, settle, create } = setting;
    await start();
    // Something elsewhere moves the version on.
    await api.client.resource("v1", "Node").create({ metadata: { name: "n" }, spec: {} });
    api.bookmark();
    await settle();
    api.compact();
    api.endWatches();
    await create("a");
    await clock.advance(20_000);
    const lists = api.asked.filter((asked) => asked.includes("limit=")).length;
    assert.equal(lists, 1);
  });

  test("says once that it is in trouble, and once that it is not", async () => {
    const { api, clock, lines } = setting;
    await start();
    api.fault = lost;
    api.endWatches();
    await clock.advance(120_000);
    api.fault = () => undefined;
    await clock.advance(20_000);
    assert.deepEqual(
      lines.map(({ level, message }) => `${level} ${message}`),
      ["warn Cannot follow; trying again", "info Following again"],
    );
  });

  test("waits longer and longer for a server that is gone, but not for ever", async () => {
    const { api, clock } = setting;
    await start();
    api.fault = lost;
    api.endWatches();
    const before = api.asked.length;
    await clock.advance(600_000);
    const tries = api.asked.length - before;
    assert.ok(tries >= 60 && tries <= 140, `${tries} tries in ten minutes`);
  });

  test("heeds a server that asks it to wait", async () => {
    const { api, clock } = setting;
    await start();
    api.fault = () => refused("GET", { code: 429, body: "", retryAfter: "60" });
    api.endWatches();
    await clock.advance(1_000);
    const before = api.asked.length;
    await clock.advance(58_000);
    assert.equal(api.asked.length, before);
    await clock.advance(3_000);
    assert.ok(api.asked.length > before);
  });

  test("ends a watch that the server should have ended", async () => {
    const { api, clock } = setting;
    await start();
    assert.equal(api.watches, 1);
    const before = api.asked.length;
    await clock.advance(700_000);
    assert.ok(api.asked.length > before);
    assert.equal(api.watches, 1);
  });

  test("leaves out managedFields, or what a transform says", async () => {
    const { pods, informers } = setting;
    await pods.create({
      metadata: { namespace: "default", name: "a", managedFields: [{ manager: "m" }] },
      spec: { containers: [] },
    });
    const whole = informers.of(pods, { transform: (pod) => pod, namespace: "default" });
    const plain = await start();
    assert.equal(plain.get("default/a")?.metadata.managedFields, undefined);
    assert.equal(whole.get("default/a")?.metadata.managedFields?.length, 1);
  });

  test("looks objects up by indexes, also by those that come late", async () => {
    const { pods, create, settle } = setting;
    await create("a", { app: "x" }, "node-1");
    const informer = await start({ indexes: [byNode] });
    await create("b", { app: "x" }, "node-2");
    await settle();
    const byApp = byLabel("app");
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
    const informer = await start();
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
    const informer = await start();
    const keys: string[] = [];
    const leave = informer.subscribe((key) => keys.push(key));
    leave();
    await create("b");
    await settle();
    assert.deepEqual(keys, ["default/a"]);
  });

  test("is not disturbed by a subscriber that throws", async () => {
    const { create, settle, lines } = setting;
    const informer = await start();
    informer.subscribe(() => {
      throw new Error("mine");
    });
    const told = record(informer);
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
    const informer = await start({ labelSelector: "app=x", namespace: "default" });
    const told = record(informer);
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
        const setting = setUp();
        const { api, clock, pods, informers } = setting;
        const informer = informers.of(pods, { initial: seed % 2 === 0 ? "list" : "stream" });
        const told: string[] = [];
        informer.subscribe((key) => told.push(`${key} ${setting.versionOf(informer, key) ?? "-"}`));
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

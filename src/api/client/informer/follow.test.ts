import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { refused } from "../errors.ts";
import { keyOf } from "../objects.ts";
import { lost, recordChanges, setUpInformers } from "./testing/informer.ts";

describe("following", () => {
  let setting: ReturnType<typeof setUpInformers>;
  beforeEach(() => {
    setting = setUpInformers();
  });
  afterEach(() => setting.end());

  for (const initial of ["list", "stream"] as const) {
    describe(`that begins with a ${initial}`, () => {
      test("holds what is there, and follows every change", async () => {
        const { create, pods, settle } = setting;
        await create("a");
        const informer = setting.informers.of(pods, { initial });
        const told = recordChanges(informer);
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
        const informer = await setting.start({ initial });
        const told = recordChanges(informer);
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
        const informer = await setting.start({ initial });
        const told = recordChanges(informer);
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
    const informer = await setting.start({ initial: "stream" });
    await informer.synced;
    assert.equal(informer.size, 1);
    assert.deepEqual(lines, []);
  });

  // The answer of a genuine kube-apiserver 1.33 on etcd 3.4, which does not report the progress of a watch.
  const recorded = `${JSON.stringify({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        "a watch stream was requested by the client but the required storage feature RequestWatchProgress is disabled",
      reason: "InternalError",
      code: 500,
    },
  })}\n`;

  test("falls back to a list when the store behind a server cannot stream", async () => {
    const { api, create } = setting;
    await create("a");
    answerStreams(api, async function* () {
      yield Buffer.from(recorded);
    });
    const informer = await setting.start({ initial: "stream" });
    await setting.settle();
    await informer.synced;
    await create("b");
    await setting.settle();
    assert.equal(informer.size, 2);
  });

  test("falls back to a list when a server ends every stream before it has told everything", async () => {
    const { api, create, clock } = setting;
    await create("a");
    answerStreams(api, async function* () {
      yield* [];
    });
    const informer = await setting.start({ initial: "stream" });
    await clock.advance(30_000);
    await informer.synced;
    assert.equal(informer.size, 1);
  });

  for (const code of [401, 403, 404, 429, 503, 504]) {
    test(`goes on to ask for a stream when the server answers ${code} for a while`, async () => {
      const { api, create, clock } = setting;
      await create("a");
      api.fault = () => refused("GET", { code, body: "" });
      const informer = await setting.start({ initial: "stream" });
      await clock.advance(10_000);
      api.fault = () => undefined;
      await clock.advance(20_000);
      await informer.synced;
      assert.deepEqual(
        api.asked.filter((asked) => asked.includes("limit=")),
        [],
      );
    });
  }

  /** Answers every watch that asks for initial events with this body. */
  function answerStreams(
    api: ReturnType<typeof setUpInformers>["api"],
    body: () => AsyncGenerator<Buffer>,
  ): void {
    const open = api.open.bind(api);
    api.open = async (request) => {
      const response = await open(request);
      return request.path.includes("sendInitialEvents") ? { ...response, body: body() } : response;
    };
  }

  test("falls back to a list when initial events never end", async () => {
    const { api, create, clock } = setting;
    await create("a");
    // The parameter is removed, as if the server did not know it.
    const open = api.open.bind(api);
    api.open = (request) =>
      open({ ...request, path: request.path.replace("sendInitialEvents=true", "") });
    const informer = await setting.start({ initial: "stream" });
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
    const informer = await setting.start();
    await clock.advance(1_000);
    await informer.synced;
    assert.equal(informer.size, 600);
    assert.ok(api.asked.some((asked) => asked.includes("limit=0")));
  });

  test("reads everything anew from a server whose store is another", async () => {
    const { api, clock, create, lines } = setting;
    const informer = await setting.start();
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

  test("goes on from the version of the last bookmark after a disconnect", async () => {
    const { api, clock, settle, create } = setting;
    await setting.start();
    // A change to another resource advances the version.
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
    await setting.start();
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
    await setting.start();
    api.fault = lost;
    api.endWatches();
    const before = api.asked.length;
    await clock.advance(600_000);
    const tries = api.asked.length - before;
    assert.ok(tries >= 60 && tries <= 140, `${tries} tries in ten minutes`);
  });

  test("heeds a server that asks it to wait", async () => {
    const { api, clock } = setting;
    await setting.start();
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
    await setting.start();
    assert.equal(api.watches, 1);
    const before = api.asked.length;
    await clock.advance(700_000);
    assert.ok(api.asked.length > before);
    assert.equal(api.watches, 1);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { Controller, type ControllerOptions } from "./controller.ts";
import { EventRecorder } from "./events.ts";
import { Informers } from "./informer/informers.ts";
import { splitKey } from "./objects.ts";
import { FakeApi } from "./testing/api.ts";

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const random = new FakeRandom();
  const lines: Record<string, unknown>[] = [];
  const log = createLog({
    format: "json",
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const informers = new Informers({ clock, random, log });
  const configMaps = api.client.resource("v1", "ConfigMap");
  const maps = informers.of(configMaps);
  const stop = new AbortController();
  const control = (
    reconcile: ControllerOptions["reconcile"],
    options: Partial<ControllerOptions> = {},
  ) => new Controller({ name: "test", sources: [maps], reconcile, log, clock, random, ...options });
  const create = (name: string) => configMaps.create({ metadata: { namespace: "n", name } });
  return { api, clock, random, lines, log, informers, configMaps, maps, stop, control, create };
}

describe("a controller", () => {
  test("begins when everything has been read, and reconciles every key", async () => {
    const { control, create, informers, stop, clock, maps } = setUp();
    await create("a");
    await create("b");
    const sizes: number[] = [];
    const controller = control(async () => void sizes.push(maps.size));
    const controlling = controller.run(stop.signal);
    await clock.advance(1_000);
    assert.deepEqual(sizes, []);
    const informing = informers.run(stop.signal);
    await clock.advance(0);
    await create("c");
    await clock.advance(0);
    await controller.idle();
    assert.deepEqual(sizes, [2, 2, 3]);
    stop.abort();
    await Promise.all([controlling, informing]);
  });

  test("brings about what objects ask for, whoever is in the way", async () => {
    const { control, create, informers, stop, clock, maps, configMaps, lines } = setUp();
    const controller = control(async (key, signal) => {
      const map = maps.get(key);
      if (map === undefined || map.data?.["seen"] === "yes") return;
      await configMaps.update({ ...map, data: { seen: "yes" } }, { signal });
    });
    const running = [controller.run(stop.signal), informers.run(stop.signal)];
    await clock.advance(0);
    const a = await create("a");
    // The controller now has an older version, and gets a conflict.
    await configMaps.patch(a.metadata, { merge: { metadata: { labels: { x: "y" } } } });
    await clock.advance(10_000);
    const { data, metadata } = await configMaps.get(a.metadata);
    assert.deepEqual([data, metadata.labels], [{ seen: "yes" }, { x: "y" }]);
    assert.deepEqual(lines, [], "conflicts are no news");
    stop.abort();
    await Promise.all(running);
  });

  test("logs each failure once, with its key, and records it on the object", async () => {
    const { control, create, informers, stop, clock, maps, api, random, log, lines } = setUp();
    const events = api.client.resource("v1", "Event");
    const recorder = new EventRecorder({ events, component: "test", clock, random, log });
    let failures = 2;
    const controller = control(
      async (key) => {
        if (splitKey(key).name === "a" && failures-- > 0) throw new Error("not yet");
      },
      { events: { recorder, objectOf: (key) => maps.get(key) } },
    );
    const running = [controller, informers, recorder].map((part) => part.run(stop.signal));
    await clock.advance(0);
    await create("a");
    await create("b");
    await clock.advance(10_000);
    assert.equal(lines.length, 2);
    const { message, key, controller: name } = lines[0] ?? {};
    assert.deepEqual([message, key, name], ["Cannot reconcile", "n/a", "test"]);
    const { items } = await events.listAll();
    assert.deepEqual(
      items.map((event) => [event.reason, event.message, event.count, event.involvedObject.name]),
      [["ReconcileFailed", "not yet", 2, "a"]],
    );
    stop.abort();
    await Promise.all(running);
  });

  test("looks at a key again when asked to", async () => {
    const { control, create, informers, stop, clock } = setUp();
    const at: number[] = [];
    const controller = control(async () => {
      at.push(clock.monotonic());
      return { againInMs: 1_000 };
    });
    const running = [controller, informers].map((part) => part.run(stop.signal));
    await clock.advance(0);
    await create("a");
    await clock.advance(3_500);
    controller.enqueue("n/a");
    controller.enqueueAfter("n/a", 100);
    await clock.advance(200);
    assert.deepEqual(at, [0, 1000, 2000, 3000, 3500, 3600]);
    stop.abort();
    await Promise.all(running);
  });

  test("a slow reconciliation does not keep the cache from following", async () => {
    const { control, create, informers, stop, clock, maps } = setUp();
    let done = 0;
    const controller = control(async () => {
      await clock.sleep(1_000);
      done += 1;
    });
    const running = [controller, informers].map((part) => part.run(stop.signal));
    await clock.advance(0);
    for (let number = 0; number < 50; number++) await create(`m${number}`);
    await clock.advance(500);
    assert.deepEqual([maps.size, done], [50, 0]);
    await clock.advance(60_000);
    assert.equal(done, 50);
    stop.abort();
    await Promise.all(running);
  });

  test("that is stopped before anything was read, ends", async () => {
    const { control, stop } = setUp();
    const running = control(() => assert.fail("nothing to reconcile")).run(stop.signal);
    stop.abort();
    await running;
    await control(() => assert.fail("nothing to reconcile")).run(stop.signal);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { defined } from "../../base/json/defined.ts";
import { createLog } from "../../base/program/log.ts";
import { Registry } from "../../base/program/metrics.ts";
import { refused, unanswered } from "./errors.ts";
import { EventRecorder, type Remark } from "./events.ts";
import { FakeApi } from "./testing/api.ts";

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const metrics = new Registry();
  const events = api.client.resource("v1", "Event");
  const log = createLog({ format: "text", write: (line) => assert.fail(line) });
  const common = { clock, random: new FakeRandom(), log, metrics };
  const recorder = new EventRecorder({ events, component: "tester", host: "node-a", ...common });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  const object = (name: string, namespace?: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, uid: `uid-${name}`, ...defined({ namespace }) },
  });
  const remark: Remark = { type: "Normal", reason: "Started", message: "It runs." };
  const end = async () => {
    stop.abort();
    await running;
  };
  const written = async () => (await events.listAll()).items;
  return { api, clock, metrics, events, recorder, object, remark, written, end };
}

describe("an event recorder", () => {
  test("says what happened to which object, and who says so", async () => {
    const { recorder, object, remark, written, clock, end } = setUp();
    recorder.record(object("a", "n"), remark);
    await clock.advance(0);
    const [{ metadata, ...event } = assert.fail()] = await written();
    assert.match(metadata.name, /^a\.[0-9a-f]{16}$/);
    assert.equal(metadata.namespace, "n");
    assert.deepEqual(event, {
      apiVersion: "v1",
      kind: "Event",
      involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "n", name: "a", uid: "uid-a" },
      type: "Normal",
      reason: "Started",
      message: "It runs.",
      source: { component: "tester", host: "node-a" },
      reportingComponent: "tester",
      reportingInstance: "node-a",
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
    });
    await end();
  });

  test("counts repetitions on the same event, and begins anew after a while", async () => {
    const { recorder, object, remark, written, clock, end } = setUp();
    for (let turn = 0; turn < 3; turn++) {
      recorder.record(object("a", "n"), remark);
      await clock.advance(60_000);
    }
    recorder.record(object("a", "n"), { ...remark, message: "Otherwise." });
    await clock.advance(600_000);
    recorder.record(object("a", "n"), remark);
    await clock.advance(0);
    const counts = (await written()).map(
      ({ message, count, lastTimestamp }) => `${message} ${count} ${lastTimestamp}`,
    );
    assert.deepEqual(counts.toSorted(), [
      "It runs. 1 2026-01-01T00:13:00Z",
      "It runs. 3 2026-01-01T00:02:00Z",
      "Otherwise. 1 2026-01-01T00:03:00Z",
    ]);
    await end();
  });

  test("what has no namespace is told in the default one", async () => {
    const { recorder, object, remark, written, clock, end } = setUp();
    recorder.record(object("node-a"), remark);
    await clock.advance(0);
    assert.equal((await written())[0]?.metadata.namespace, "default");
    await end();
  });

  test("an event the server has forgotten is created again, with its count", async () => {
    const { recorder, object, remark, written, clock, events, end } = setUp();
    recorder.record(object("a", "n"), remark);
    await clock.advance(0);
    await events.deleteCollection({ namespace: "n" });
    recorder.record(object("a", "n"), remark);
    await clock.advance(0);
    assert.deepEqual(
      (await written()).map(({ count }) => count),
      [2],
    );
    await end();
  });

  test("waits for a server that is away, but not for ever", async () => {
    const { recorder, object, remark, written, clock, api, metrics, end } = setUp();
    api.fault = () => unanswered("POST", { reason: "Unreachable", state: "down" });
    recorder.record(object("a", "n"), remark);
    await clock.advance(100);
    api.fault = () => undefined;
    await clock.advance(10_000);
    assert.equal((await written()).length, 1);
    api.fault = () => unanswered("POST", { reason: "Unreachable", state: "down" });
    recorder.record(object("b", "n"), remark);
    await clock.advance(100_000);
    assert.equal(recorder.dropped, 1);
    assert.match(metrics.render(), /^events_dropped_total 1$/m);
    await end();
  });

  test("drops at once what is refused", async () => {
    const { recorder, object, remark, clock, api, end } = setUp();
    api.fault = () => refused("POST", { code: 403, body: "" });
    recorder.record(object("a", "n"), remark);
    await clock.advance(0);
    assert.deepEqual([recorder.dropped, api.asked.length], [1, 1]);
    await end();
  });

  test("drops what one object says too often, and what is too much in all", async () => {
    const { recorder, object, remark, clock, api, written, end } = setUp();
    for (let number = 0; number < 100; number++) {
      recorder.record(object("a", "n"), { ...remark, message: `Number ${number}.` });
    }
    await clock.advance(0);
    assert.equal((await written()).length, 25);
    assert.equal(recorder.dropped, 75);
    api.fault = () => unanswered("POST", { reason: "Unreachable", state: "down" });
    for (let number = 0; number < 3_000; number++) {
      recorder.record(object(`p${number}`, "n"), remark);
    }
    assert.ok(recorder.dropped >= 75 + 1_000, `${recorder.dropped} dropped`);
    await end();
  });

  test("cuts messages that are too long", async () => {
    const { recorder, object, remark, written, clock, end } = setUp();
    recorder.record(object("a", "n"), { ...remark, message: "x".repeat(5_000) });
    await clock.advance(0);
    assert.equal((await written())[0]?.message?.length, 1024);
    await end();
  });
});

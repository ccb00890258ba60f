import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { isTimeout, unanswered } from "../../../api/client/errors.ts";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import type { Pod } from "../../../api/types/core.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { Children } from "./children.ts";
import { byController, orphansIn } from "./ownership.ts";
import { podOf } from "./testing/objects.ts";

const owner = orphansIn("default");

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const log = createLog({ write: () => undefined, format: "json" });
  const informers = new Informers({ clock, random: new FakeRandom(), log });
  const resource = api.client.resource("v1", "Pod");
  const stop = new AbortController();
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const open = api.open.bind(api);
  api.open = async (request) => {
    const stream = await open(request);
    async function* late() {
      for await (const chunk of stream.body) {
        await gate.promise;
        yield chunk;
      }
    }
    return { ...stream, body: late() };
  };
  const children = new Children<Pod>({ resource, informer: informers.of(resource), clock }, [
    byController,
  ]);
  const running = informers.run(stop.signal);
  const { signal } = stop;
  return {
    api,
    clock,
    resource,
    children,
    signal,
    /** Stops the watch's events from now on. */
    lag: () => {
      gate = Promise.withResolvers<void>();
    },
    catchUp: async () => {
      gate.resolve();
      await clock.advance(0);
    },
    settle: () => children.settle(byController, owner, signal),
    names: () =>
      children
        .by(byController, owner)
        .map(({ metadata }) => metadata.name + (metadata.deletionTimestamp ? " ending" : ""))
        .toSorted(),
    async end() {
      gate.resolve();
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

describe("children", () => {
  let given: ReturnType<typeof setUp>;
  beforeEach(async () => {
    given = setUp();
    await given.clock.advance(0);
  });
  afterEach(() => given.end());
  const lost = () => unanswered("POST", { reason: "TimedOut", state: "no answer" });

  test("are there as soon as they are made, and once", async () => {
    const { children, signal, names } = given;
    given.lag();
    await children.create(podOf("a"), signal);
    assert.deepEqual(names(), ["a"]);
    await given.catchUp();
    assert.deepEqual(names(), ["a"]);
    assert.equal(children.patience(byController, owner), undefined);
  });

  test("are on their way as soon as they are deleted, whatever others write meanwhile", async () => {
    const { children, signal, names, resource } = given;
    const pod = await children.create(podOf("a", { metadata: { finalizers: ["x"] } }), signal);
    await given.catchUp();
    given.lag();
    await resource.patchStatus(pod.metadata, { merge: { status: { phase: "Running" } } });
    await children.delete(pod, { signal });
    assert.deepEqual(names(), ["a ending"]);
    await given.catchUp();
    assert.deepEqual(names(), ["a ending"]);
    assert.equal(children.get("default/a")?.status?.phase, "Running");
    await resource.patch(pod.metadata, { merge: { metadata: { finalizers: null } } });
    await resource.delete(pod.metadata).catch(() => undefined);
    await given.clock.advance(0);
    assert.deepEqual(names(), []);
  });

  test("that were made and deleted unheard are asked for in the end", async () => {
    const { children, signal, names, api, clock } = given;
    // The watch is broken, and the list that follows lacks the pod.
    api.fault = ({ path }) => (path.includes("watch=true") ? lost() : undefined);
    api.endWatches();
    await clock.advance(0);
    const pod = await children.create(podOf("a"), signal);
    await given.resource.delete(pod.metadata);
    api.compact();
    api.fault = () => undefined;
    await clock.advance(5_000);
    assert.deepEqual(names(), ["a"]);
    await clock.advance(10_000);
    await given.settle();
    assert.deepEqual(names(), []);
  });

  test("of a name are told apart by their uid", async () => {
    const { children, signal, names, resource } = given;
    const first = await children.create(podOf("a"), signal);
    await given.catchUp();
    given.lag();
    await resource.delete(first.metadata);
    const second = await children.create(podOf("a", { metadata: { uid: "second" } }), signal);
    await given.catchUp();
    assert.deepEqual(names(), ["a"]);
    assert.equal(children.get("default/a")?.metadata.uid, second.metadata.uid);
    await children.delete(first, { signal });
    assert.deepEqual(names(), ["a"]);
  });

  for (const isCarriedOut of [true, false]) {
    test(`whose making got no answer are asked for: ${isCarriedOut ? "made" : "not made"}`, async () => {
      const { children, signal, names, api } = given;
      given.lag();
      const send = api.send.bind(api);
      api.send = async (request) => {
        if (isCarriedOut) await send(request);
        throw lost();
      };
      await assert.rejects(children.create(podOf("a"), signal), isTimeout);
      api.send = send;
      await given.settle();
      assert.deepEqual(names(), isCarriedOut ? ["a"] : []);
    });

    test(`whose deletion got no answer are asked for: ${isCarriedOut ? "gone" : "there"}`, async () => {
      const { children, signal, names, api } = given;
      const pod = await children.create(podOf("a"), signal);
      await given.catchUp();
      given.lag();
      const send = api.send.bind(api);
      api.send = async (request) => {
        if (isCarriedOut) await send(request);
        throw lost();
      };
      await assert.rejects(children.delete(pod, { signal }), isTimeout);
      api.send = send;
      await given.settle();
      assert.deepEqual(names(), isCarriedOut ? ["a ending"] : ["a"]);
      await given.catchUp();
      assert.deepEqual(names(), isCarriedOut ? [] : ["a"]);
    });
  }

  test("change only if nobody else has changed them", async () => {
    const { children, signal, resource } = given;
    const pod = await children.create(podOf("a"), signal);
    const labelled = await children.patchMetadata(pod, { labels: { x: "y" } }, signal);
    assert.equal(children.get("default/a")?.metadata.labels?.["x"], "y");
    await resource.patch(pod.metadata, { merge: { metadata: { labels: { x: "z" } } } });
    const stale = { ...labelled, spec: { containers: [] } };
    await assert.rejects(children.update(stale, signal), /modified/);
  });
});

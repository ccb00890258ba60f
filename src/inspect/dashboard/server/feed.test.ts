import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { refusal } from "../../../api/client/testing/verbs.ts";
import type { ApiRequest } from "../../../api/client/transport/message.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { systemRandom } from "../../../base/host/random.system.ts";
import { createLog } from "../../../base/program/log.ts";
import { kindNames } from "../model/cluster.ts";
import { Mirror } from "../model/mirror.ts";
import { podOf } from "../testing/clusters.ts";
import { Feed } from "./feed.ts";
import { followAll } from "./followed-kind.ts";
import { sourcesOf } from "./sources.ts";

const log = createLog({ write: () => undefined, format: "text", level: "error" });
const forbidden = (plural: string) => (request: ApiRequest) =>
  request.path.includes(`/${plural}`)
    ? refusal(request, 403, "Forbidden", `${plural} is forbidden`)
    : undefined;

describe("a feed", () => {
  let api: FakeApi;
  let clock: FakeClock;
  let feed: Feed;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    api = new FakeApi();
    clock = new FakeClock();
    stop = new AbortController();
    feed = new Feed(
      followAll(sourcesOf(api.client, undefined), { clock, random: systemRandom, log }),
    );
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  const run = async () => {
    running = feed.run(stop.signal);
    await clock.advance(10);
  };
  const create = (index: number) =>
    api.client.resource("v1", "Pod").create(podOf(index, { node: 0, isReady: true }));
  const open = () => {
    const mirror = new Mirror();
    const listener = feed.open(() => undefined);
    return {
      mirror,
      listener,
      catchUp: () => {
        for (const message of listener.take()) mirror.apply(message);
        return mirror.list("pods").map(({ metadata }) => metadata.name);
      },
    };
  };

  test("tells everything first, then changes, with one watch for each kind, however many look", async () => {
    await create(0);
    await run();
    const [one, other] = [open(), open()];
    assert.deepEqual(one.catchUp(), ["pod-0"]);
    await create(1);
    await api.client.resource("v1", "Pod").delete({ namespace: "shop", name: "pod-0" });
    await clock.advance(10);
    assert.deepEqual(one.catchUp(), ["pod-1"]);
    assert.deepEqual(other.catchUp(), ["pod-1"]);
    const watches = api.asked.filter((asked) => asked.includes("watch=true"));
    const paths = watches.map((asked) => asked.split("?")[0]);
    assert.equal(paths.length, kindNames.length);
    assert.equal(new Set(paths).size, kindNames.length);
  });

  test("costs a slow page one object, however often it changes", async () => {
    await create(0);
    await run();
    const { listener, catchUp } = open();
    catchUp();
    for (const value of ["a", "b", "c"]) {
      await api.client
        .resource("v1", "Pod")
        .patch(
          { namespace: "shop", name: "pod-0" },
          { merge: { metadata: { labels: { value } } } },
        );
      await clock.advance(10);
    }
    const messages = [...listener.take()];
    assert.equal(messages.length, 1);
  });

  test("tells which kinds may not be read, and the others all the same", async () => {
    api.fault = forbidden("services");
    await create(0);
    await run();
    const { mirror, catchUp } = open();
    assert.deepEqual(catchUp(), ["pod-0"]);
    assert.equal(mirror.reading("services").state, "refused");
    assert.match(mirror.reading("services").reason, /services is forbidden/);
    assert.deepEqual([...mirror.cluster().unread], ["services"]);
    assert.equal(mirror.reading("pods").state, "current");
  });

  test("takes a kind off the page when the right to read it ends, and brings it back with it", async () => {
    await create(0);
    await run();
    const { mirror, catchUp } = open();
    assert.deepEqual(catchUp(), ["pod-0"]);
    api.fault = forbidden("pods");
    api.endWatches();
    await clock.advance(30_000);
    assert.deepEqual(catchUp(), []);
    assert.equal(mirror.reading("pods").state, "refused");
    assert.deepEqual(open().catchUp(), []);
    api.fault = () => undefined;
    await clock.advance(30_000);
    assert.deepEqual(catchUp(), ["pod-0"]);
    assert.equal(mirror.reading("pods").state, "current");
  });

  test("tells nothing of what views do not need", async () => {
    const pod = podOf(0, { node: 0, isReady: true });
    const env = [{ name: "PASSWORD", value: "hunter2" }];
    await api.client.resource("v1", "Pod").create({
      ...pod,
      metadata: { ...pod.metadata, annotations: { note: "hunter2" }, labels: { a: "hunter2" } },
      spec: { ...pod.spec, containers: [{ name: "main", image: "x", env }] },
    });
    await run();
    const { listener } = open();
    assert.doesNotMatch(JSON.stringify([...listener.take()]), /hunter2/);
  });
});

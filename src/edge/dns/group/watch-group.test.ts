import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unanswered } from "../../../api/client/errors.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { Journal } from "./journal.ts";
import type { GroupEvent } from "./member.ts";
import { watchGroup } from "./watch-group.ts";

const namespace = "default";
const path = "/state/group.json";

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const files = new FakeFiles();
  const random = new FakeRandom();
  const log = createLog({ format: "text", write: () => undefined });
  const pods = api.client.resource("v1", "Pod");
  const told: GroupEvent[] = [];
  let isDeaf = false;
  return {
    api,
    clock,
    told,
    /** The delivered events as lines: `join a 10.0.0.1,fd00::1`. */
    lines: () =>
      told.map(({ type, member }) => `${type} ${member.name} ${member.addresses.join()}`),
    deafen: (deaf: boolean) => {
      isDeaf = deaf;
    },
    create: (name: string, ips: readonly string[], labels = { app: "web" }) =>
      pods.create({
        metadata: { namespace, name, labels },
        spec: { containers: [] },
        status: { podIPs: ips.map((ip) => ({ ip })) },
      }),
    patch: (name: string, merge: object) => pods.patch({ namespace, name }, { merge }),
    report: (name: string, status: object) =>
      pods.patchStatus({ namespace, name }, { merge: { status } }),
    remove: (name: string) => pods.delete({ namespace, name }),
    start: async () => {
      await files.makePrivateDirectory("/state");
      const journal = await Journal.open({ path, files, clock, random });
      const stop = new AbortController();
      const hook = (event: GroupEvent) => {
        if (isDeaf) return Promise.reject(new Error("deaf"));
        told.push(event);
        return Promise.resolve();
      };
      const selection = { namespace, labelSelector: "app=web" };
      const running = watchGroup(
        { pods, selection, journal, hook, clock, random, log },
        stop.signal,
      );
      await clock.advance(1_000);
      return async () => {
        stop.abort();
        await clock.advance(1_000);
        await running;
      };
    },
  };
}

describe("[MODEL-6] a group that is watched", () => {
  it("tells of each who joins, changes and leaves, once and with all addresses", async () => {
    const { create, patch, report, remove, start, lines, told, clock } = setUp();
    await create("a", ["10.0.0.1", "fd00::1"]);
    const stop = await start();
    await create("b", []);
    await create("other", ["10.0.0.9"], { app: "other" });
    await clock.advance(1_000);
    await report("b", { podIPs: [{ ip: "10.0.0.2" }] });
    await patch("b", { metadata: { annotations: { x: "y" } } });
    await report("b", { podIPs: [{ ip: "10.0.0.2" }, { ip: "fd00::2" }] });
    await patch("a", { metadata: { labels: { app: "other" } } });
    await report("b", { phase: "Succeeded" });
    await remove("b");
    await clock.advance(1_000);
    assert.deepEqual(lines(), [
      "join a 10.0.0.1,fd00::1",
      "join b 10.0.0.2",
      "change b 10.0.0.2,fd00::2",
      "leave a 10.0.0.1,fd00::1",
      "leave b 10.0.0.2,fd00::2",
    ]);
    assert.equal(new Set(told.map(({ id }) => id)).size, 5);
    await stop();
  });

  it("misses nothing that happens while nobody watches, and tells nothing twice", async () => {
    const { create, remove, start, lines, told } = setUp();
    await create("a", ["10.0.0.1"]);
    await create("b", ["10.0.0.2"]);
    await (await start())();
    told.length = 0;
    await (await start())();
    assert.deepEqual(lines(), []);
    await remove("a");
    await create("short", ["10.0.0.3"]);
    await remove("short");
    await create("c", ["10.0.0.4"]);
    await (await start())();
    assert.deepEqual(lines(), [
      "leave a 10.0.0.1",
      "join short 10.0.0.3",
      "leave short 10.0.0.3",
      "join c 10.0.0.4",
    ]);
  });

  it("finds out who left even when the server has forgotten how", async () => {
    const { api, create, remove, start, lines, told } = setUp();
    await create("a", ["10.0.0.1"]);
    await create("b", ["10.0.0.2"]);
    await (await start())();
    told.length = 0;
    await remove("a");
    await create("c", ["10.0.0.3"]);
    api.compact();
    await (await start())();
    assert.deepEqual(lines(), ["leave a 10.0.0.1", "join c 10.0.0.3"]);
  });

  it("tells again what was not heard, in order and under the same ids, also after a restart", async () => {
    const { create, start, lines, told, deafen, clock } = setUp();
    deafen(true);
    const stop = await start();
    await create("a", ["10.0.0.1"]);
    await create("b", ["10.0.0.2"]);
    await clock.advance(5_000);
    assert.deepEqual(lines(), []);
    await stop();
    deafen(false);
    await (await start())();
    assert.deepEqual(lines(), ["join a 10.0.0.1", "join b 10.0.0.2"]);
    const [first, second] = told.map(({ id }) => id.split("-"));
    assert.equal(first?.[0], second?.[0]);
    assert.deepEqual([first?.[1], second?.[1]], ["1", "2"]);
  });

  it("goes on after the server was away", async () => {
    const { api, create, start, lines, clock } = setUp();
    const stop = await start();
    const lost = () => unanswered("GET", { reason: "ConnectionLost", state: "cut" });
    api.fault = ({ method }) => (method === "GET" ? lost() : undefined);
    api.endWatches(lost());
    await create("a", ["10.0.0.1"]);
    await clock.advance(10_000);
    api.fault = () => undefined;
    await clock.advance(60_000);
    assert.deepEqual(lines(), ["join a 10.0.0.1"]);
    await stop();
  });

  it("does not go on from a file that is none of its own", async () => {
    const files = new FakeFiles();
    await files.makePrivateDirectory("/state");
    await files.write(path, "{}");
    const opening = Journal.open({ path, files, clock: new FakeClock(), random: new FakeRandom() });
    await assert.rejects(opening, /^Error: Cannot go on from \/state\/group.json/);
  });
});

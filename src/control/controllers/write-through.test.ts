import assert from "node:assert/strict";
import { test } from "node:test";
import { isConflict } from "../../api/client/errors.ts";
import { byNamespace, Informers } from "../../api/client/informer.ts";
import { FakeApi } from "../../api/client/testing/api.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { WriteThrough } from "./write-through.ts";

const namespace = "n";
const call = {};

/** Sets up a cache that has listed everything once, and follows changes only when told to. */
async function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const log = createLog({ write: () => undefined, format: "text" });
  const informers = new Informers({ clock, random: new FakeRandom(), log });
  const resource = api.client.resource("v1", "ConfigMap");
  const informer = informers.of(resource, { indexes: [byNamespace] });
  const maps = new WriteThrough(resource, informer);
  const follow = async (): Promise<void> => {
    const stop = new AbortController();
    const running = informers.run(stop.signal);
    await clock.advance(1);
    stop.abort();
    await running;
  };
  return { resource, informer, maps, follow };
}

const names = (objects: readonly { metadata: { name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name).toSorted();

test("what was written is known before the cache knows it", async () => {
  const { maps, informer, follow } = await setUp();
  await maps.create({ metadata: { namespace, name: "a" } }, call);
  assert.equal(informer.get("n/a"), undefined);
  assert.deepEqual(names(maps.by(byNamespace, namespace)), ["a"]);
  const made = maps.get("n/a");
  assert.ok(made);
  await maps.update({ ...made, data: { x: "1" } }, call);
  assert.deepEqual(maps.get("n/a")?.data, { x: "1" });
  await follow();
  assert.deepEqual(informer.get("n/a")?.data, { x: "1" });
  await maps.delete(maps.get("n/a") ?? made, call);
  assert.ok(informer.get("n/a"), "the cache is behind");
  assert.equal(maps.get("n/a"), undefined);
  assert.deepEqual(maps.by(byNamespace, namespace), []);
});

test("whoever acts on an old view is refused, and believes the cache again", async () => {
  const { maps, resource, informer, follow } = await setUp();
  await maps.create({ metadata: { namespace, name: "a" } }, call);
  const old = maps.get("n/a");
  assert.ok(old);
  await resource.update({ ...old, data: { by: "another" } });
  await assert.rejects(maps.update({ ...old, data: { by: "us" } }, call), isConflict);
  await assert.rejects(maps.create({ metadata: { namespace, name: "a" } }, call), isConflict);
  await follow();
  assert.equal(maps.get("n/a"), informer.get("n/a"));
  assert.deepEqual(maps.get("n/a")?.data, { by: "another" });
});

test("what is gone already need not be deleted, and cannot be updated", async () => {
  const { maps, resource } = await setUp();
  await maps.create({ metadata: { namespace, name: "a" } }, call);
  const made = maps.get("n/a");
  assert.ok(made);
  await resource.delete(made.metadata);
  await assert.rejects(maps.update({ ...made, data: {} }, call), isConflict);
  await maps.delete(made, call);
  assert.equal(maps.get("n/a"), undefined);
});

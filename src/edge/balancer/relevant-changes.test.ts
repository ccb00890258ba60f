import assert from "node:assert/strict";
import { test } from "node:test";
import { Informers } from "../../api/client/informer.ts";
import { FakeApi } from "../../api/client/testing/api.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { relevantChanges } from "./relevant-changes.ts";

test("only changes of the facts are told of, and the end of what had some", async () => {
  const api = new FakeApi();
  const log = createLog({ format: "json", write: () => undefined });
  const informers = new Informers({ clock: new FakeClock(), random: new FakeRandom(), log });
  const nodes = api.client.resource("v1", "Node");
  const informer = informers.of(nodes);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  const told: string[] = [];
  const source = relevantChanges(informer, ({ metadata }) => metadata.labels ?? {}, "all");
  await source.synced;
  const leave = source.subscribe((key) => told.push(key));
  const seen = async (isSo: () => boolean) => {
    for (let n = 0; n < 1_000 && !isSo(); n++)
      await new Promise((resolve) => setImmediate(resolve));
    assert.ok(isSo());
  };
  const created = await nodes.create({ metadata: { name: "a", labels: { zone: "1" } }, spec: {} });
  await seen(() => told.length === 1);
  const { metadata } = await nodes.update({ ...created, spec: { unschedulable: true } });
  await seen(() => informer.get("a")?.metadata.resourceVersion === metadata.resourceVersion);
  assert.equal(told.length, 1);
  await nodes.delete({ name: "a" });
  await seen(() => told.length === 2);
  leave();
  stop.abort();
  await running;
});

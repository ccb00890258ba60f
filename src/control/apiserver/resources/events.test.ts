import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import { startServer } from "../testing/start.ts";

const minute = 60_000;
const events = "/api/v1/namespaces/default/events";

test("[API-1] events are kept for an hour after they were last written", {
  timeout: 60_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "apiserver-events-"));
  await using scope = new AsyncDisposableStack();
  scope.defer(() => rm(directory, { recursive: true }));
  const clock = new FakeClock();
  const store = await openEmbedded({ directory, clock });
  scope.defer(() => store.close());
  const server = scope.use(await startServer({ store }));
  const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
  const create = (name: string) =>
    server.send("POST", events, { body: { metadata: { name }, involvedObject, reason: "Test" } });
  const names = async () => {
    const { items } = (await server.send("GET", events)).json;
    return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  };
  /** The store writes down what is over before it is gone. */
  const become = async (expected: string) => {
    while ((await names()).join() !== expected) await delay(10);
  };
  assert.equal((await create("once")).status, 201);
  assert.equal((await create("again")).status, 201);
  await clock.advance(50 * minute);
  const body = JSON.stringify({ count: 2 });
  const headers = { "content-type": "application/merge-patch+json" };
  assert.equal((await server.send("PATCH", `${events}/again`, { body, headers })).status, 200);
  assert.deepEqual(await names(), ["again", "once"]);
  await clock.advance(20 * minute);
  await become("again");
  await clock.advance(50 * minute);
  await become("");
});

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import type { Committed, Store } from "../port.ts";
import { bytes, keysOf, put, watchUntil } from "../testing/contract/fixture.ts";
import { Expiry } from "./expiry.ts";
import { openEmbedded } from "./open.system.ts";

test("[API-2] a time to live goes on while the store is closed, and over a rewrite of its log", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
  const clock = new FakeClock();
  const open = (): Promise<Store> => openEmbedded({ directory, clock, spareBytes: 0 });
  let store = await open();
  try {
    for (let i = 0; i < 10; i++) await put(store, "/filler", "x".repeat(1000));
    await putFor(store, "/short", 10);
    await putFor(store, "/long", 1000);
    await putFor(store, "/kept", 10);
    await put(store, "/kept", "for good");
    await store.compact(await store.revision());
    await clock.advance(5000);
    assert.deepEqual(keysOf(await store.list("/")), ["/filler", "/kept", "/long", "/short"]);
    await store.close();
    await clock.advance(60_000);

    store = await open();
    const after = await store.revision();
    await clock.advance(2000);
    const deleted = await watchUntil(store, { after, until: after + 1 });
    assert.deepEqual(
      deleted.map(({ type, key }) => `${type} ${key}`),
      ["delete /short"],
    );
    assert.deepEqual(keysOf(await store.list("/")), ["/filler", "/kept", "/long"]);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});

test("[API-2] what comes due while others of its second are deleted is deleted after them", async () => {
  const clock = new FakeClock();
  const deleted: string[] = [];
  const first = Promise.withResolvers<Committed>();
  const committed: Committed = { ok: true, revision: 3 };
  const expiry = new Expiry({
    clock,
    commit: ({ operations }) => {
      deleted.push(...operations.map(({ key }) => key));
      return deleted.length === 1 ? first.promise : Promise.resolve(committed);
    },
  });
  const expires = clock.now() + 1000;
  expiry.add({ key: "/first", modified: 1 }, expires);
  await clock.advance(1000);
  expiry.add({ key: "/late", modified: 2 }, expires);
  first.resolve(committed);
  await clock.advance(2000);
  expiry.close();
  assert.deepEqual(deleted, ["/first", "/late"]);
});

async function putFor(store: Store, key: string, ttlSeconds: number): Promise<void> {
  const operations = [{ type: "put", key, value: bytes(key), ttlSeconds }] as const;
  await store.commit({ compare: [], operations });
}

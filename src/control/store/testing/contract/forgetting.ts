import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isExpired, isFuture } from "../../errors.ts";
import type { Revision, Store } from "../../port.ts";
import {
  bytes,
  type MakePlace,
  put,
  remove,
  shown,
  text,
  Watching,
  watchUntil,
  withStore,
} from "./fixture.ts";

/** Contract of compaction, time to live and restarts. */
export function forgettingContract(make: MakePlace): void {
  test("[API-2] what is compacted has expired; what is not can be read", async () => {
    await withStore(make, async (store) => {
      await put(store, "/a", "1");
      const before = (await put(store, "/gone", "1")).revision;
      const floor = (await remove(store, "/gone")).revision;
      const behind = (await put(store, "/a", "2")).revision;
      await store.compact(floor);
      const at = async (revision: Revision) => shown((await store.list("/", { revision })).entries);
      await assert.rejects(at(before), isExpired);
      for (const previous of [true, false]) {
        const watching = watchUntil(store, { after: before, until: behind, previous });
        await assert.rejects(watching, isExpired);
      }
      assert.deepEqual(await at(floor), ["/a=1"]);
      assert.deepEqual(await at(behind), ["/a=2"]);
      const [change] = await watchUntil(store, { after: floor, until: behind });
      assert.equal(text(change?.previous?.value ?? bytes("")), "1");
      await store.compact(floor);
      await store.compact(before);
      await assert.rejects(store.compact(behind + 1000), isFuture);
    });
  });

  test("[API-2] a watch that has kept up goes on over a compaction", async () => {
    await withStore(make, async (store) => {
      const watching = new Watching(store, "/a/", await store.revision());
      const { revision } = await put(store, "/a/1", "1");
      await watching.reached(revision);
      await store.compact(revision);
      const last = (await remove(store, "/a/1")).revision;
      await watching.reached(last);
      await watching.stop();
      assert.deepEqual(
        watching.changes.map(({ type }) => type),
        ["put", "delete"],
      );
    });
  });

  test("[API-5] compaction races with watches: each sees everything or has expired", async () => {
    await withStore(make, async (store) => {
      const start = await store.revision();
      const over = new AbortController();
      const writing = writeAndCompact(store, over.signal);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, async (_, i) => {
          await delay(i * 5);
          return seenWithoutGap(store, start, i);
        }),
      );
      over.abort();
      const last = await writing;
      for (const outcome of outcomes) {
        if (outcome.status === "rejected")
          assert.ok(isExpired(outcome.reason), outcome.reason as Error);
      }
      assert.deepEqual(shown((await store.list("/c/")).entries), [`/c/0=${last}`]);
    });
  });

  test("[API-2] an entry with a time to live is deleted when it is over", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      const begun = Date.now();
      // A time to live that leaves time for the second write, even on a machine that stalls for seconds.
      const short = 6;
      const ttl = (key: string, ttlSeconds: number) =>
        store.commit({
          compare: [],
          operations: [{ type: "put", key, value: bytes(key), ttlSeconds }],
        });
      await Promise.all([
        ttl("/t/short", short),
        ttl("/t/long", 3600),
        ttl("/t/renewed", short),
        ttl("/t/kept", short),
      ]);
      await ttl("/t/renewed", 3600);
      await put(store, "/t/kept", "for good");
      const stop = AbortSignal.timeout(60_000);
      const deleted: string[] = [];
      for await (const { changes } of store.watch("/t/", { after, signal: stop })) {
        deleted.push(...changes.filter(({ type }) => type === "delete").map(({ key }) => key));
        if (deleted.length > 0) break;
      }
      assert.ok(Date.now() - begun >= short * 1000);
      assert.deepEqual(deleted, ["/t/short"]);
      const left = (await store.list("/t/")).entries.map(({ key }) => key);
      assert.deepEqual(left, ["/t/kept", "/t/long", "/t/renewed"]);
    });
  });

  test("[API-5] closed and opened again, everything is as it was", async () => {
    await withStore(make, async (store, place) => {
      const after = await store.revision();
      const one = (await put(store, "/a", "1")).revision;
      await put(store, "/b", "1");
      await put(store, "/a", "2");
      await remove(store, "/b");
      const floor = one;
      await store.compact(floor);
      const before = await store.list("/");
      await store.close();
      const again = await place.open();
      try {
        assert.equal(await again.revision(), before.revision);
        assert.deepEqual(await again.list("/"), before);
        assert.deepEqual(shown((await again.list("/", { revision: floor })).entries), ["/a=1"]);
        await assert.rejects(again.list("/", { revision: after }), isExpired);
        const changes = await watchUntil(again, { after: floor, until: before.revision });
        assert.deepEqual(
          changes.map(({ type, key }) => `${type} ${key}`),
          ["put /b", "put /a", "delete /b"],
        );
        assert.ok((await put(again, "/a", "3")).revision > before.revision);
      } finally {
        await again.close();
      }
    });
  });
}

/** Writes and compacts until aborted; returns the last value that was written. */
async function writeAndCompact(store: Store, over: AbortSignal): Promise<number> {
  let value = 0;
  for (; !over.aborted; value++) {
    const { revision } = await put(store, "/c/0", `${value}`);
    if (value % 20 === 19) await store.compact(revision - 5);
  }
  return value - 1;
}

/** Watches ten changes, whose values must count up by one; rejects when the watch has expired. */
async function seenWithoutGap(store: Store, start: Revision, seed: number): Promise<void> {
  const newest = await store.revision();
  const after = Math.max(start, newest - (seed % 7) * 3);
  const stop = AbortSignal.timeout(60_000);
  const values: number[] = [];
  for await (const { changes } of store.watch("/c/", { after, signal: stop })) {
    values.push(...changes.map(({ value }) => Number(text(value))));
    if (values.length >= 10) break;
  }
  assert.ok(values.length >= 10, `saw ${values.length} changes`);
  for (const [index, value] of values.entries()) {
    assert.equal(value, (values[0] as number) + index);
  }
}

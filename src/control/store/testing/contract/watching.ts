import assert from "node:assert/strict";
import { test } from "node:test";
import { isClosed } from "../../errors.ts";
import type { Change, Store } from "../../port.ts";
import {
  bytes,
  type MakePlace,
  put,
  remove,
  text,
  Watching,
  watchUntil,
  withStore,
} from "./fixture.ts";

export function watchingContract(make: MakePlace): void {
  test("[API-2] a watch delivers the past, then the present, in order", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      const first = await put(store, "/w/a", "1");
      await put(store, "/other", "1");
      const watching = new Watching(store, "/w/", after);
      await watching.reached(first.revision);
      await put(store, "/w/a", "2");
      const last = await remove(store, "/w/a");
      await watching.reached(last.revision);
      await watching.stop();
      assert.deepEqual(watching.changes.map(shownChange), [
        "put /w/a=1",
        "put /w/a=2",
        "delete /w/a=2",
      ]);
    });
  });

  test("[API-2] a change brings what was there before it", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      const created = (await put(store, "/a", "1")).revision;
      const updated = (await put(store, "/a", "2")).revision;
      const deleted = (await remove(store, "/a")).revision;
      const again = (await put(store, "/a", "3")).revision;
      const changes = await watchUntil(store, { after, until: again });
      assert.deepEqual(
        changes.map(({ created: c, modified, previous }) => ({
          created: c,
          modified,
          previous: previous && [text(previous.value), previous.created, previous.modified],
        })),
        [
          { created, modified: created, previous: undefined },
          { created, modified: updated, previous: ["1", created, created] },
          { created, modified: deleted, previous: ["2", created, updated] },
          { created: again, modified: again, previous: undefined },
        ],
      );
    });
  });

  test("[API-2] a watch without previous values says what happened all the same", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      await put(store, "/a", "1");
      await put(store, "/a", "2");
      const { revision } = await remove(store, "/a");
      const changes = await watchUntil(store, { after, until: revision, previous: false });
      assert.deepEqual(changes.map(shownChange), ["put /a=1", "put /a=2", "delete /a="]);
      assert.ok(changes.every(({ previous }) => previous === undefined));
    });
  });

  test("[API-2] what one transaction changed comes in one batch", async () => {
    await withStore(make, async (store) => {
      for (const { keys, size } of [
        { keys: 20, size: 60_000 },
        { keys: 70, size: 10 },
      ]) {
        const after = await store.revision();
        const value = new Uint8Array(size).fill(120);
        for (let i = 0; i < 30; i++) {
          const operations = Array.from(
            { length: keys },
            (_, k) => ({ type: "put", key: `/t/${k}`, value }) as const,
          );
          await store.commit({ compare: [], operations });
        }
        const watching = new Watching(store, "/t/", after);
        await watching.reached(await store.revision());
        await watching.stop();
        assert.equal(watching.changes.length, 30 * keys);
        for (const { changes, revision } of watching.batches) {
          assert.equal(changes.length % keys, 0);
          assert.ok(changes.every(({ modified }) => modified <= revision));
        }
      }
    });
  });

  test("[API-5] concurrent writers: no watch misses, repeats or reorders a change", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      const watching = [0, 1, 2].map(() => new Watching(store, "/n/", after));
      const revisions: number[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          for (let i = 0; i < 40; i++) {
            revisions.push(
              (await put(store, `/n/${(writer * 3 + i) % 10}`, `${writer}-${i}`)).revision,
            );
          }
        }),
      );
      const expected = revisions.toSorted((a, b) => a - b);
      const last = expected.at(-1) as number;
      for (const one of watching) {
        await one.reached(last);
        await one.stop();
        assert.deepEqual(
          one.changes.map(({ modified }) => modified),
          expected,
        );
      }
      const middle = expected[100] as number;
      const resumed = await watchUntil(store, { prefix: "/n/", after: middle, until: last });
      assert.deepEqual(
        resumed.map(({ modified }) => modified),
        expected.slice(101),
      );
    });
  });

  test("[API-2] a watch hears of progress outside its prefix", async () => {
    await withStore(make, async (store) => {
      const watching = new Watching(store, "/mine/", await store.revision());
      await put(store, "/theirs/a", "1");
      await watching.reached(await store.revision());
      const refused = await store.commit({
        compare: [{ key: "/theirs/a", modified: 0 }],
        operations: [{ type: "put", key: "/theirs/a", value: bytes("2") }],
      });
      await watching.reached(refused.revision);
      await watching.stop();
      assert.deepEqual(watching.changes, []);
    });
  });

  test("[API-2] a consumer that is slow holds nobody up and misses nothing", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      const stop = new AbortController();
      const slow = store.watch("/s/", { after, signal: stop.signal })[Symbol.asyncIterator]();
      const quick = new Watching(store, "/s/", after);
      let seen = await takeFirst(store, slow);
      const value = new Uint8Array(20_000).fill(120);
      let last = 0;
      for (let i = 0; i < 600; i++) {
        const operations = [{ type: "put", key: `/s/${i}`, value }] as const;
        last = (await store.commit({ compare: [], operations })).revision;
      }
      await quick.reached(last);
      await quick.stop();
      while (seen.at(-1)?.modified !== last) {
        const next = await slow.next();
        assert.ok(!next.done);
        seen = [...seen, ...next.value.changes];
      }
      stop.abort();
      assert.deepEqual(
        seen.map(({ key }) => key),
        ["/s/first", ...Array.from({ length: 600 }, (_, i) => `/s/${i}`)],
      );
      assert.equal(quick.changes.length, 601);
    });
  });

  test("[API-2] a watch ends with its signal, and throws when the store is closed", async () => {
    await withStore(make, async (store) => {
      const after = await store.revision();
      const ended = new Watching(store, "/", after);
      const cut = new Watching(store, "/", after);
      await put(store, "/a", "1");
      await cut.reached(await store.revision());
      await ended.stop();
      await store.close();
      await assert.rejects(cut.reached(Infinity), isClosed);
      await assert.rejects(store.get("/a"), isClosed);
    });
  });
}

/** Waits for the first batch, so that the watch is known to be under way. */
async function takeFirst(
  store: Store,
  iterator: AsyncIterator<{ changes: readonly Change[] }>,
): Promise<readonly Change[]> {
  const next = iterator.next();
  await put(store, "/s/first", "");
  let batch = await next;
  while (!batch.done && batch.value.changes.length === 0) batch = await iterator.next();
  return batch.done ? [] : batch.value.changes;
}

function shownChange({ type, key, value }: Change): string {
  return `${type} ${key}=${text(value)}`;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { isFuture, isInvalid } from "../../errors.ts";
import type { Store } from "../../port.ts";
import { keysOf, type MakePlace, put, remove, shown, text, withStore } from "./fixture.ts";

export function readingContract(make: MakePlace): void {
  test("[API-2] an empty store has a revision and nothing in it", async () => {
    await withStore(make, async (store) => {
      const revision = await store.revision();
      assert.ok(revision >= 1);
      assert.equal(await store.get("/nothing"), undefined);
      assert.deepEqual(await store.list("/"), { entries: [], revision, more: false, remaining: 0 });
    });
  });

  test("[API-2] an entry tells its value and when it was created and modified", async () => {
    await withStore(make, async (store) => {
      const { revision: created } = await put(store, "/a", "one");
      const { revision: modified } = await put(store, "/a", "two");
      const entry = await store.get("/a");
      assert.ok(entry);
      assert.equal(text(entry.value), "two");
      assert.deepEqual([entry.created, entry.modified], [created, modified]);
      await remove(store, "/a");
      assert.equal(await store.get("/a"), undefined);
      const { revision: again } = await put(store, "/a", "three");
      assert.equal((await store.get("/a"))?.created, again);
    });
  });

  test("[API-2] a list is in key order and has only what begins with the prefix", async () => {
    await withStore(make, async (store) => {
      const keys = ["/b/2", "/b/10", "/b/1", "/a/z", "/b", "/b0", "/c/1", "/b/ä", "/b/1/x"];
      await Promise.all(keys.map((key) => put(store, key, key)));
      assert.deepEqual(keysOf(await store.list("/b/")), [
        "/b/1",
        "/b/1/x",
        "/b/10",
        "/b/2",
        "/b/ä",
      ]);
      assert.deepEqual(keysOf(await store.list("/")).length, keys.length);
      assert.deepEqual(keysOf(await store.list("/nobody/")), []);
      const behind = await store.list("/b/", { after: "/b/1/x" });
      assert.deepEqual(keysOf(behind), ["/b/10", "/b/2", "/b/ä"]);
    });
  });

  test("[API-2] a page says whether more follows, and about how much", async () => {
    await withStore(make, async (store) => {
      for (let i = 0; i < 7; i++) await put(store, `/page/${i}`, "");
      await put(store, "/pages", "");
      const first = await store.list("/page/", { limit: 3 });
      assert.deepEqual(keysOf(first), ["/page/0", "/page/1", "/page/2"]);
      assert.deepEqual([first.more, first.remaining], [true, 4]);
      const exact = await store.list("/page/", { limit: 4, after: "/page/2" });
      assert.deepEqual(keysOf(exact), ["/page/3", "/page/4", "/page/5", "/page/6"]);
      assert.deepEqual([exact.more, exact.remaining], [false, 0]);
    });
  });

  test("[API-2] the past can be listed", async () => {
    await withStore(make, async (store) => {
      const empty = await store.revision();
      const one = (await put(store, "/a", "1")).revision;
      await put(store, "/b", "1");
      const two = (await put(store, "/a", "2")).revision;
      const gone = (await remove(store, "/a")).revision;
      const back = (await put(store, "/a", "3")).revision;
      const at = async (revision: number) => shown((await store.list("/", { revision })).entries);
      assert.deepEqual(await at(empty), []);
      assert.deepEqual(await at(one), ["/a=1"]);
      assert.deepEqual(await at(two), ["/a=2", "/b=1"]);
      assert.deepEqual(await at(gone), ["/b=1"]);
      assert.deepEqual(await at(back), ["/a=3", "/b=1"]);
      assert.equal((await store.list("/", { revision: one })).revision, one);
      await assert.rejects(store.list("/", { revision: back + 1000 }), isFuture);
    });
  });

  test("[API-2] pages of one snapshot belong together while others write", async () => {
    await withStore(make, async (store) => {
      const keys = Array.from({ length: 300 }, (_, i) => `/k/${String(i).padStart(3, "0")}`);
      await Promise.all(keys.map((key) => put(store, key, "old")));
      const stop = new AbortController();
      const writing = writeAllOver(store, keys, stop.signal);
      try {
        for (let round = 0; round < 3; round++) await readSnapshotInPages(store);
      } finally {
        stop.abort();
        await writing;
      }
    });
  });

  test("[API-2] a key has to begin with a slash and be Unicode", async () => {
    await withStore(make, async (store) => {
      await assert.rejects(store.get("a"), isInvalid);
      await assert.rejects(put(store, "a", ""), isInvalid);
      await assert.rejects(put(store, "/\ud800", ""), isInvalid);
      await assert.rejects(put(store, `/${"x".repeat(70_000)}`, ""), isInvalid);
      assert.deepEqual(keysOf(await store.list("/")), []);
    });
  });
}

/** Reads page by page: the pages together must equal one read at their revision. */
async function readSnapshotInPages(store: Store): Promise<void> {
  const entries: string[] = [];
  let page = await store.list("/k/", { limit: 40 });
  const { revision } = page;
  for (;;) {
    entries.push(...shown(page.entries));
    const last = page.entries.at(-1);
    if (!page.more || last === undefined) break;
    page = await store.list("/k/", { limit: 40, after: last.key, revision });
    assert.equal(page.revision, revision);
  }
  const whole = await store.list("/k/", { revision });
  assert.deepEqual(entries, shown(whole.entries));
}

/** Overwrites, deletes and adds keys until aborted. */
async function writeAllOver(
  store: Store,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; !signal.aborted && i < 20_000; i++) {
    const key = keys[(i * 7) % keys.length] as string;
    await (i % 3 === 0 ? remove(store, key) : put(store, i % 5 === 0 ? `${key}-new` : key, `${i}`));
  }
}

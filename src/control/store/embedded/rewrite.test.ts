import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Page, Store } from "../port.ts";
import { bytes, put, text, Watching } from "../testing/contract/fixture.ts";
import { openEmbedded } from "./open.system.ts";

const filler = "x".repeat(4000);
const keys = Array.from({ length: 1500 }, (_, i) => `/k/${String(i).padStart(4, "0")}`);

test("[API-5] lists and watches that are under way are not disturbed by a rewrite", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
  const store = await openEmbedded({ directory, spareBytes: 0 });
  try {
    const watching = new Watching(store, "/k/", await store.revision());
    await writeAll(store, "first");
    await writeAll(store, "second");
    const revision = await writeAll(store, "third");
    await watching.reached(revision);
    const writing = writeAll(store, "fourth");
    await listUntil(store.compact(revision), async () => {
      checkPage(await store.list("/k/", { revision }), "third");
    });
    await writing;
    const last = await store.revision();
    checkPage(await store.list("/k/"), "fourth");
    await watching.reached(last);
    await watching.stop();
    await store.compact(last);
    checkPage(await store.list("/k/"), "fourth");
    const generations = watching.changes.map(({ value }) => text(value).split(" ")[0]);
    assert.equal(generations.filter((name) => name === "fourth").length, keys.length);
    assert.equal(watching.changes.length, 4 * keys.length);
    assert.ok((await readdir(directory)).some((name) => name.endsWith(".snapshot")));
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});

test("[API-5] a store that is closed in the midst of a rewrite is whole", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
  try {
    for (let round = 0; round < 5; round++) {
      const store = await openEmbedded({ directory, spareBytes: 0 });
      const revision = await writeAll(store, `round${round}`);
      const compacted = store.compact(revision);
      for (let i = 0; i < round; i++) await put(store, `/late/${round}/${i}`, "x");
      await Promise.all([store.close(), compacted]);
      const again = await openEmbedded({ directory });
      checkPage(await again.list("/k/"), `round${round}`);
      assert.equal((await again.list(`/late/${round}/`)).entries.length, round);
      await again.close();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

const mostLists = 16;

/** Begins a list in each turn of the event loop; each takes several turns, so that some span the end. */
async function listUntil(end: Promise<void>, list: () => Promise<void>): Promise<void> {
  const lists = new Set<Promise<void>>();
  const over = new AbortController();
  const ended = end.finally(() => over.abort());
  while (!over.signal.aborted) {
    if (lists.size < mostLists) {
      const listing = list();
      lists.add(listing);
      listing.then(
        () => lists.delete(listing),
        () => undefined,
      );
    }
    await setImmediate();
  }
  await Promise.all([ended, ...lists]);
}

async function writeAll(store: Store, generation: string): Promise<number> {
  const committed = await Promise.all(
    keys.map((key) => {
      const value = bytes(`${generation} ${key} ${filler}`);
      return store.commit({ compare: [], operations: [{ type: "put", key, value }] });
    }),
  );
  return Math.max(...committed.map(({ revision }) => revision));
}

function checkPage({ entries }: Page, generation: string): void {
  const read = entries.map(({ value }) => text(value).split(" ").slice(0, 2).join(" "));
  assert.deepEqual(
    read,
    keys.map((key) => `${generation} ${key}`),
  );
}

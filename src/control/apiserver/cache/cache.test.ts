import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { systemClock } from "../../../base/host/clock.system.ts";
import { createLog } from "../../../base/program/log.ts";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import { StoreError } from "../../store/errors.ts";
import type { Store } from "../../store/store.ts";
import { objectKey } from "../keys.ts";
import { Cache } from "./cache.ts";
import { encodeStored, type Repair } from "./item.ts";

const log = createLog({ write: () => undefined, format: "text" });
let directory: string;
let store: Store;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "apiserver-cache-"));
  store = await openEmbedded({ directory });
});
after(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function write(collection: string, name: string, content: object = {}): Promise<number> {
  const key = objectKey(collection, "a", name);
  const object: ApiObject = { kind: "X", apiVersion: "v1", metadata: { name }, ...content };
  const operations = [{ type: "put" as const, key, value: encodeStored(object) }];
  return (await store.commit({ compare: [], operations })).revision;
}

async function running(repairOf: (collection: string) => Repair | undefined = () => undefined) {
  const cache = await Cache.open({ store, log, repairOf });
  const stop = new AbortController();
  const run = cache.run(stop.signal);
  return {
    cache,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

test("what was there and what comes are both in the cache, under their revisions", async () => {
  const first = await write("core/one", "old");
  await using follower = await running();
  const { cache } = follower;
  const second = await write("core/one", "new");
  await cache.reached(second);
  const items = cache.collection("core/one").list();
  assert.deepEqual(
    items.map((item) => item.parse().metadata),
    [
      { resourceVersion: String(second), name: "new" },
      { resourceVersion: String(first), name: "old" },
    ],
  );
});

test("current waits for everything that was committed before", async () => {
  await using follower = await running();
  const { cache } = follower;
  const revision = await write("core/two", "x");
  await cache.current();
  assert.ok(cache.revision >= revision);
});

test("objects of other versions are repaired when they are read, our own are not", async () => {
  const repaired: (string | undefined)[] = [];
  const repair: Repair = (object) => {
    repaired.push(object.metadata?.name);
    Object.assign(object, { repaired: true });
  };
  await write("core/three", "stored");
  await using follower = await running((collection) =>
    collection === "core/three" ? repair : undefined,
  );
  const { cache } = follower;
  assert.deepEqual(repaired, []);
  const stored = cache.collection("core/three").get("a", "stored");
  assert.deepEqual(stored?.parse(), {
    kind: "X",
    apiVersion: "v1",
    metadata: { resourceVersion: String(stored?.modified), name: "stored" },
    repaired: true,
  });
  const own = { kind: "X", apiVersion: "v1", metadata: { name: "own" } };
  cache.expect(objectKey("core/three", "a", "own"), encodeStored(own));
  await cache.reached(await write("core/three", "own"));
  cache.collection("core/three").get("a", "own")?.parse();
  assert.deepEqual(repaired, ["stored"]);
});

test("subscribers hear of changes before anybody who waits for them goes on", async () => {
  await using follower = await running();
  const { cache } = follower;
  const seen: string[] = [];
  cache.collection("core/four").subscribers.add({
    changed: (events) => seen.push(...events.map(({ type, item }) => `${type} ${item.name}`)),
    lost: () => seen.push("lost"),
  });
  await write("core/four", "x");
  const revision = await write("core/four", "x", { more: 1 });
  await cache.reached(revision);
  assert.deepEqual(seen, ["ADDED x", "MODIFIED x"]);
});

test("a gap makes the cache start anew, and tells its subscribers", async () => {
  await write("core/five", "before");
  const cache = await Cache.open({ store, log, repairOf: () => undefined });
  const lost = Promise.withResolvers<void>();
  cache.collection("core/five").subscribers.add({ changed: () => undefined, lost: lost.resolve });
  // What happens now is forgotten before the cache begins to follow.
  await store.commit({
    compare: [],
    operations: [{ type: "delete", key: objectKey("core/five", "a", "before") }],
  });
  await write("core/five", "after");
  await store.compact(await store.revision());
  const stop = new AbortController();
  const run = cache.run(stop.signal);
  await lost.promise;
  assert.deepEqual(
    cache
      .collection("core/five")
      .list()
      .map(({ name }) => name),
    ["after"],
  );
  stop.abort();
  await run;
});

test("a store that is out of reach when the cache starts anew is waited for", async () => {
  let failures = 0;
  const troubled: Store = {
    get: (key) => store.get(key),
    list: async (prefix, options) => {
      if (failures-- > 0) {
        throw new StoreError("Cannot read: nobody answers", { reason: "unavailable" });
      }
      return await store.list(prefix, options);
    },
    commit: (transaction) => store.commit(transaction),
    watch: (prefix, options) => store.watch(prefix, options),
    revision: () => store.revision(),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  };
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const cache = await Cache.open({ store: troubled, log, repairOf: () => undefined, clock });
  await write("core/seven", "forgotten");
  const revision = await write("core/seven", "after");
  await store.compact(revision);
  failures = 2;
  const stop = new AbortController();
  const run = cache.run(stop.signal);
  await Promise.race([cache.reached(revision), run]);
  assert.ok(cache.collection("core/seven").get("a", "after"));
  assert.ok(failures < 0, "it was out of reach");
  stop.abort();
  await run;
});

test("a value that is no object, and a subscriber that fails, harm nobody else", async () => {
  const junk = {
    type: "put" as const,
    key: objectKey("core/six", "a", "junk"),
    value: Buffer.from("[]"),
  };
  await store.commit({ compare: [], operations: [junk] });
  await using follower = await running();
  const { cache } = follower;
  const collection = cache.collection("core/six");
  const told: string[] = [];
  collection.subscribers.add({
    changed: () => {
      throw new Error("broken");
    },
    lost: () => told.push("lost"),
  });
  collection.subscribers.add({ changed: () => told.push("changed"), lost: () => undefined });
  await store.commit({ compare: [], operations: [{ ...junk, value: Buffer.from("{") }] });
  await cache.reached(await write("core/six", "fine"));
  assert.deepEqual(
    collection.list().map(({ name }) => name),
    ["fine"],
  );
  assert.deepEqual(told, ["lost", "changed"]);
  await store.commit({ compare: [], operations: [{ type: "delete", key: junk.key }] });
});

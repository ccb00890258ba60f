import assert from "node:assert/strict";
import { test } from "node:test";
import { isInvalid } from "../../errors.ts";
import type { Store } from "../../port.ts";
import { bytes, keysOf, type MakePlace, put, remove, shown, text, withStore } from "./fixture.ts";

export function writingContract(make: MakePlace): void {
  test("[API-2] revisions grow with every transaction that changes something", async () => {
    await withStore(make, async (store) => {
      const before = await store.revision();
      const first = await put(store, "/a", "1");
      const second = await put(store, "/a", "1");
      assert.ok(before < first.revision && first.revision < second.revision);
      assert.equal(await store.revision(), second.revision);
      assert.deepEqual(await remove(store, "/nothing"), { ok: true, revision: second.revision });
      const nothing = await store.commit({ compare: [], operations: [] });
      assert.deepEqual(nothing, { ok: true, revision: second.revision });
      assert.equal(await store.revision(), second.revision);
    });
  });

  test("[API-2] a transaction writes all of its keys under one revision, or none", async () => {
    await withStore(make, async (store) => {
      const { revision } = await put(store, "/a", "1");
      const committed = await store.commit({
        compare: [
          { key: "/a", modified: revision },
          { key: "/b", modified: 0 },
        ],
        operations: [
          { type: "delete", key: "/a" },
          { type: "put", key: "/b", value: bytes("b") },
          { type: "put", key: "/c", value: bytes("c") },
        ],
      });
      assert.ok(committed.ok && committed.revision > revision);
      const { entries } = await store.list("/");
      assert.deepEqual(shown(entries), ["/b=b", "/c=c"]);
      for (const entry of entries) assert.equal(entry.modified, committed.revision);
    });
  });

  test("[API-2] one comparison that fails stops the whole transaction", async () => {
    await withStore(make, async (store) => {
      const a = (await put(store, "/a", "1")).revision;
      const b = (await put(store, "/b", "1")).revision;
      const wrong = [
        { key: "/b", modified: b - 1 },
        { key: "/b", modified: 0 },
        { key: "/c", modified: b },
      ];
      for (const compare of wrong) {
        const refused = await store.commit({
          compare: [{ key: "/a", modified: a }, compare],
          operations: [{ type: "put", key: "/a", value: bytes("2") }],
        });
        assert.deepEqual(refused, { ok: false, revision: b });
      }
      assert.deepEqual(shown((await store.list("/")).entries), ["/a=1", "/b=1"]);
    });
  });

  test("[API-2] a deleted key does not exist for a comparison", async () => {
    await withStore(make, async (store) => {
      const { revision } = await put(store, "/a", "1");
      await remove(store, "/a");
      const operations = [{ type: "put", key: "/a", value: bytes("2") }] as const;
      const stale = await store.commit({
        compare: [{ key: "/a", modified: revision }],
        operations,
      });
      assert.equal(stale.ok, false);
      const fresh = await store.commit({ compare: [{ key: "/a", modified: 0 }], operations });
      assert.equal(fresh.ok, true);
    });
  });

  test("[API-2] one key twice in a transaction is refused", async () => {
    await withStore(make, async (store) => {
      const twice = { type: "put", key: "/a", value: bytes("1") } as const;
      const transaction = {
        compare: [],
        operations: [twice, { ...twice, type: "delete" as const }],
      };
      await assert.rejects(store.commit(transaction), isInvalid);
      assert.equal(await store.get("/a"), undefined);
    });
  });

  test("[API-2] of several that create one key at the same time, one succeeds", async () => {
    await withStore(make, async (store) => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          store.commit({
            compare: [{ key: "/only", modified: 0 }],
            operations: [{ type: "put", key: "/only", value: bytes(`${i}`) }],
          }),
        ),
      );
      const winner = outcomes.findIndex(({ ok }) => ok);
      assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
      const entry = await store.get("/only");
      assert.equal(text(entry?.value ?? bytes("")), `${winner}`);
      assert.equal(entry?.modified, outcomes[winner]?.revision);
    });
  });

  test("[API-2] counters that writers share come out right", async () => {
    await withStore(make, async (store) => {
      const [writers, rounds] = [8, 25];
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let i = 0; i < rounds; i++) await incrementBoth(store, `/own/${writer}`);
        }),
      );
      const count = async (key: string) => Number(text((await store.get(key))?.value ?? bytes("")));
      assert.equal(await count("/shared"), writers * rounds);
      for (let writer = 0; writer < writers; writer++) {
        assert.equal(await count(`/own/${writer}`), rounds);
      }
    });
  });

  test("[API-2] values may be empty, binary and large", async () => {
    await withStore(make, async (store) => {
      const large = new Uint8Array(1 << 20).map((_, i) => (i * 31) % 251);
      const values = {
        "/empty": bytes(""),
        "/binary": Uint8Array.of(0, 255, 128),
        "/large": large,
      };
      for (const [key, value] of Object.entries(values)) {
        await store.commit({ compare: [], operations: [{ type: "put", key, value }] });
      }
      for (const [key, value] of Object.entries(values)) {
        assert.ok(Buffer.from(value).equals((await store.get(key))?.value ?? bytes("missing")));
      }
      const { entries } = await store.list("/");
      assert.deepEqual(
        entries.map(({ value }) => value.length),
        [3, 0, large.length],
      );
    });
  });

  test("[API-2] many keys: more than fits one answer of etcd", async () => {
    await withStore(make, async (store) => {
      const keys = Array.from({ length: 4000 }, (_, i) => `/many/${String(i).padStart(5, "0")}`);
      const value = new Uint8Array(1500).fill(120);
      for (let start = 0; start < keys.length; start += 100) {
        const operations = keys
          .slice(start, start + 100)
          .map((key) => ({ type: "put", key, value }) as const);
        await store.commit({ compare: [], operations });
      }
      const page = await store.list("/many/");
      assert.deepEqual(keysOf(page), keys);
      assert.equal(page.more, false);
      assert.ok(page.entries.every((entry) => entry.value.length === value.length));
    });
  });
}

/** Increments two keys in one transaction, retried until no other transaction comes in between. */
async function incrementBoth(store: Store, own: string): Promise<void> {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const entries = await Promise.all(
      ["/shared", own].map(async (key) => ({ key, entry: await store.get(key) })),
    );
    const { ok } = await store.commit({
      compare: entries.map(({ key, entry }) => ({ key, modified: entry?.modified ?? 0 })),
      operations: entries.map(({ key, entry }) => ({
        type: "put",
        key,
        value: bytes(String(Number(entry === undefined ? "0" : text(entry.value)) + 1)),
      })),
    });
    if (ok) return;
  }
  assert.fail("a writer never came through");
}

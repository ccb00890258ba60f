// etcd killed and started again under a store that goes on writing and watching.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { isUnavailable, isUnknownOutcome } from "../../src/control/store/errors.ts";
import { openEtcd } from "../../src/control/store/etcd/open.ts";
import { openStore } from "../../src/control/store/open.system.ts";
import type { Store } from "../../src/control/store/port.ts";
import { bytes, Watching } from "../../src/control/store/testing/contract/fixture.ts";
import { type EtcdFixture, startEtcd } from "../fixtures/etcd.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 20 : 3;
const writers = 8;
/** To bound a hang, nothing else. */
const patience = 60_000;

test("[API-5] the only member of etcd is killed and comes back", async () => {
  await using etcd = await startEtcd();
  await writeThrough(etcd, async () => {
    await etcd.members[0]?.kill();
    await etcd.members[0]?.start();
    await etcd.ready();
  });
});

test("[API-5] one member of three after the other is killed, and comes back late", async () => {
  await using etcd = await startEtcd({ members: 3 });
  let next = 0;
  await writeThrough(etcd, async (written) => {
    const member = etcd.members[next++ % etcd.members.length];
    await member?.kill();
    await written();
    await member?.start();
    await etcd.ready();
  });
});

test("[API-5] a member of three that stops answering is left for another", async () => {
  await using etcd = await startEtcd({ members: 3 });
  const [first] = etcd.members;
  assert.ok(first);
  const options = { ...etcd.client, timeoutMs: 4000 };
  const store = await openEtcd({ ...options, endpoints: [first.endpoint] });
  // Begins with the first member.
  const random = { ...systemRandom, fraction: () => 0 };
  const both = await openEtcd({ ...options, random });
  try {
    first.pause();
    // Sent to a member that does not answer: it may be carried out when that one goes on.
    const operations = [{ type: "put", key: "/a", value: bytes("1") }] as const;
    await assert.rejects(both.commit({ compare: [], operations }), isUnknownOutcome);
    const second = [{ type: "put", key: "/b", value: bytes("1") }] as const;
    // If it was the leader, the others elect one first.
    const deadline = AbortSignal.timeout(patience);
    const commit = async (): Promise<boolean> => {
      try {
        return (await both.commit({ compare: [], operations: second })).ok;
      } catch (error) {
        if (deadline.aborted || !(isUnknownOutcome(error) || isUnavailable(error))) throw error;
        return commit();
      }
    };
    assert.equal(await commit(), true);
    await assert.rejects(store.get("/b"), isUnavailable);
    first.resume();
    await etcd.ready();
    assert.ok(await store.get("/b"));
  } finally {
    first.resume();
    await Promise.all([store.close(), both.close()]);
  }
});

test("[API-2] a store is opened by its address: certificates, user and password", async () => {
  await using etcd = await startEtcd({ tls: true, rootPassword: "s3cret/@:" });
  const store = await openStore(etcd.storeUrl("/by/address"));
  try {
    const operations = [{ type: "put", key: "/a", value: bytes("1") }] as const;
    assert.equal((await store.commit({ compare: [], operations })).ok, true);
    assert.ok(await store.get("/a"));
  } finally {
    await store.close();
  }
});

/** What became of the writes so far. */
class Record {
  readonly acknowledged = new Map<string, number>();
  readonly unknown = new Set<string>();

  /** Resolves when so many more writes have been acknowledged. */
  async more(count: number): Promise<void> {
    const enough = this.acknowledged.size + count;
    const deadline = Date.now() + patience;
    while (this.acknowledged.size < enough) {
      assert.ok(Date.now() < deadline, "nothing is acknowledged any more");
      await delay(10);
    }
  }
}

/** Writes and watches while `fault` is done to etcd, again and again; then everything has to add up. */
async function writeThrough(
  etcd: EtcdFixture,
  fault: (written: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const store = await openEtcd(etcd.client);
  const stop = new AbortController();
  const record = new Record();
  const watching = new Watching(store, "/w/", await store.revision());
  const writing = Promise.all(
    Array.from({ length: writers }, (_, n) =>
      writeUntil(stop.signal, { store, record, name: `${n}` }),
    ),
  );
  try {
    for (let round = 0; round < rounds; round++) {
      await record.more(100);
      await fault(() => record.more(100));
    }
    await record.more(100);
    stop.abort();
    await writing;
    const { entries, revision } = await store.list("/w/");
    await watching.reached(revision);
    await watching.stop();
    const kept = new Map(entries.map(({ key, modified }) => [key, modified]));
    for (const [key, modified] of record.acknowledged) assert.equal(kept.get(key), modified, key);
    for (const key of kept.keys()) {
      assert.ok(record.acknowledged.has(key) || record.unknown.has(key), `${key} is there`);
    }
    const seen = watching.changes.map(({ key }) => key);
    assert.deepEqual(seen.toSorted(), [...kept.keys()].toSorted());
    const revisions = watching.changes.map(({ modified }) => modified);
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
  } finally {
    stop.abort();
    await Promise.allSettled([writing]);
    await store.close();
  }
}

interface WriteOptions {
  readonly store: Store;
  readonly record: Record;
  readonly name: string;
}

/** Every write has a key of its own, so that what is unknown stays apart from what is not. */
async function writeUntil(
  signal: AbortSignal,
  { store, record, name }: WriteOptions,
): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const key = `/w/${name}/${i}`;
    const operations = [{ type: "put", key, value: bytes(key) }] as const;
    try {
      const { revision } = await store.commit({ compare: [{ key, modified: 0 }], operations });
      record.acknowledged.set(key, revision);
    } catch (error) {
      if (isUnknownOutcome(error)) record.unknown.add(key);
      else if (!isUnavailable(error)) throw error;
    }
  }
}

// The etcd client against genuine etcd.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after as afterAll, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { EtcdClient, prefixEnd } from "../../src/base/etcd/client.ts";
import * as errors from "../../src/base/etcd/errors.ts";
import type { WatchBatch } from "../../src/base/etcd/watch.ts";
import { type EtcdFixture, startEtcd } from "../fixtures/etcd.ts";

const value = Buffer.from("value");

describe("etcd client", () => {
  let etcd: EtcdFixture;
  let client: EtcdClient;
  before(async () => {
    etcd = await startEtcd();
    client = new EtcdClient(etcd.client);
  });
  afterAll(async () => {
    client?.close();
    await etcd?.[Symbol.asyncDispose]();
  });

  test("[API-2] puts, reads and deletes", async () => {
    const { header } = await client.put({ key: "/a/1", value });
    const read = await client.range({ key: "/a/1" });
    assert.equal(read.kvs[0]?.key, "/a/1");
    assert.deepEqual(Buffer.from(read.kvs[0]?.value ?? []), value);
    assert.equal(read.kvs[0]?.modRevision, header?.revision);
    const again = await client.put({ key: "/a/1", value: Buffer.from("2"), prevKv: true });
    assert.deepEqual(Buffer.from(again.prevKv?.value ?? []), value);
    await client.put({ key: "/a/2", value });
    const listed = await client.range({ key: "/a/", rangeEnd: prefixEnd("/a/"), limit: 1 });
    assert.deepEqual([listed.kvs.length, listed.more, listed.count], [1, true, 2]);
    const gone = await client.deleteRange({ key: "/a/", rangeEnd: prefixEnd("/a/"), prevKv: true });
    assert.deepEqual([gone.deleted, gone.prevKvs.length], [2, 2]);
  });

  test("[API-2] transactions compare and do one thing or the other", async () => {
    const transaction = {
      compare: [{ key: "/t", target: 2, modRevision: 0 }],
      success: [{ put: { key: "/t", value } }, { range: { key: "/t" } }],
      failure: [{ range: { key: "/t" } }],
    };
    const first = await client.txn(transaction);
    assert.deepEqual([first.succeeded, first.responses[1]?.range?.kvs.length], [true, 1]);
    const second = await client.txn(transaction);
    assert.equal(second.succeeded, false);
    assert.equal(second.responses[0]?.range?.kvs[0]?.modRevision, first.header?.revision);
  });

  test("[API-2] answers of many megabytes come through", async () => {
    const megabyte = Buffer.alloc(1 << 20, "x");
    for (let i = 0; i < 9; i++) await client.put({ key: `/large/${i}`, value: megabyte });
    const { kvs } = await client.range({ key: "/large/", rangeEnd: prefixEnd("/large/") });
    assert.deepEqual(
      kvs.map((kv) => kv.value.length),
      Array.from({ length: 9 }, () => 1 << 20),
    );
    // Watched from the beginning, they come in fragments, and are put together again.
    const after = (kvs[0]?.modRevision ?? 1) - 1;
    const batches = await collect(client, "/large/", { after, count: 9 });
    const large = batches.flatMap(({ events }) => events.map(({ kv }) => kv?.value.length));
    assert.deepEqual(
      large,
      Array.from({ length: 9 }, () => 1 << 20),
    );
  });

  test("[API-2] a watch from now on delivers puts and deletes with what was there before", async () => {
    const stop = new AbortController();
    const options = { key: "/w/", rangeEnd: prefixEnd("/w/"), prevKv: true, signal: stop.signal };
    const batches = client.watch(options)[Symbol.asyncIterator]();
    const next = async (): Promise<WatchBatch> => {
      const { value: batch, done } = (await batches.next()) as IteratorResult<
        WatchBatch,
        undefined
      >;
      assert.ok(!done);
      return batch;
    };
    assert.deepEqual((await next()).events, []);
    await client.put({ key: "/w/1", value });
    await client.deleteRange({ key: "/w/1" });
    const [put] = (await next()).events;
    const [gone] = (await next()).events;
    assert.deepEqual([put?.type, put?.prevKv], [0, undefined]);
    assert.deepEqual([gone?.type, gone?.prevKv?.key], [1, "/w/1"]);
    stop.abort();
    assert.equal((await batches.next()).done, true);
  });

  test("[API-2] compaction is told apart from other errors", async () => {
    const { header } = await client.put({ key: "/c", value });
    const revision = header?.revision ?? 0;
    await client.put({ key: "/c", value });
    await client.compact({ revision: revision + 1 });
    await assert.rejects(client.range({ key: "/c", revision }), errors.isCompacted);
    await assert.rejects(client.range({ key: "/c", revision: revision + 1000 }), errors.isFuture);
    await assert.rejects(collect(client, "/c", { after: revision, count: 1 }), errors.isCompacted);
    await assert.rejects(client.compact({ revision }), errors.isCompacted);
  });

  test("[API-2] requests that etcd refuses say why", async () => {
    const put = { put: { key: "/twice", value } };
    await assert.rejects(client.txn({ success: [put, put] }), errors.isInvalid);
    const large = { key: "/too-large", value: Buffer.alloc(2 << 20) };
    await assert.rejects(client.put(large), errors.isTooLarge);
    await assert.rejects(client.put({ key: "/x", value, lease: 12345 }), errors.isNotFound);
    await assert.rejects(client.revokeLease(12345), errors.isNotFound);
  });

  test("[API-2] a lease lives as long as it is kept, and takes its keys with it", async () => {
    // Longer than this machine may stand still between two renewals.
    const lease = await client.grantLease(7);
    const { header } = await client.put({ key: "/leased", value, lease: lease.id });
    const stop = new AbortController();
    const keeping = client.keepLease(lease, stop.signal);
    await delay(lease.ttlSeconds * 1500);
    assert.equal((await client.range({ key: "/leased" })).count, 1);
    stop.abort();
    await keeping;
    const [batch] = await collect(client, "/leased", { after: header?.revision ?? 0, count: 1 });
    assert.equal(batch?.events[0]?.type, 1);
    await assert.rejects(client.keepLease(lease, AbortSignal.timeout(30_000)), errors.isNotFound);
    const other = await client.grantLease(60);
    await client.put({ key: "/leased", value, lease: other.id });
    await client.revokeLease(other.id);
    assert.equal((await client.range({ key: "/leased" })).count, 0);
  });

  test("[API-2] status names the version", async () => {
    assert.match((await client.status()).version, /^3\.\d+\.\d+$/);
  });

  test("[API-2] a call can be given up", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    await client.range({ key: "/a" });
    etcd.members[0]?.pause();
    try {
      const read = client.range({ key: "/a" }, { signal: stop.signal });
      stop.abort(reason);
      await assert.rejects(read, reason);
      await assert.rejects(
        client.put({ key: "/a", value }, { timeoutMs: 300 }),
        errors.isUnknownOutcome,
      );
      await assert.rejects(client.range({ key: "/a" }, { timeoutMs: 300 }), errors.isUnavailable);
    } finally {
      etcd.members[0]?.resume();
    }
    assert.ok(await client.range({ key: "/a" }));
  });

  test("[API-2] a closed client says so", async () => {
    const other = new EtcdClient(etcd.client);
    const watching = collect(other, "/nothing", { after: 1_000_000, count: 1 });
    await other.range({ key: "/a" });
    other.close();
    await assert.rejects(other.range({ key: "/a" }), errors.isClosed);
    await assert.rejects(watching, errors.isClosed);
  });
});

test("[API-2] certificates on both sides, on IPv6", async () => {
  await using etcd = await startEtcd({ tls: true, address: "::1" });
  const client = new EtcdClient(etcd.client);
  const ca = await readFile(etcd.certificates?.ca ?? "", "utf8");
  const nobody = new EtcdClient({ ...etcd.client, tls: { ca } });
  try {
    await client.put({ key: "/a", value });
    assert.equal((await client.range({ key: "/a" })).count, 1);
    await assert.rejects(nobody.range({ key: "/a" }, { timeoutMs: 500 }), errors.isUnavailable);
  } finally {
    client.close();
    nobody.close();
  }
});

test("[API-2] user and password, and a token that has been lost meanwhile", async () => {
  await using etcd = await startEtcd({ rootPassword: "secret" });
  const client = new EtcdClient(etcd.client);
  const wrong = new EtcdClient({ ...etcd.client, user: { name: "root", password: "guess" } });
  const nobody = new EtcdClient({ endpoints: etcd.client.endpoints });
  try {
    const { header } = await client.put({ key: "/a", value });
    const watching = collect(client, "/a", { after: header?.revision ?? 0, count: 1 });
    await assert.rejects(wrong.range({ key: "/a" }), errors.isNotPermitted);
    await assert.rejects(nobody.range({ key: "/a" }), errors.isInvalid);
    // Simple tokens do not survive the member.
    await etcd.members[0]?.kill();
    await etcd.members[0]?.start();
    await etcd.ready();
    await client.put({ key: "/a", value });
    assert.equal((await watching).length, 1);
  } finally {
    for (const one of [client, wrong, nobody]) one.close();
  }
});

/** Watches until so many events have come. */
async function collect(
  client: EtcdClient,
  prefix: string,
  { after: revision, count }: { after: number; count: number },
): Promise<WatchBatch[]> {
  const batches: WatchBatch[] = [];
  const signal = AbortSignal.timeout(60_000);
  const options = {
    key: prefix,
    rangeEnd: prefixEnd(prefix),
    prevKv: true,
    after: revision,
    signal,
  };
  for await (const batch of client.watch(options)) {
    batches.push(batch);
    if (batches.flatMap(({ events }) => events).length >= count) return batches;
  }
  return assert.fail("the watch did not bring what was expected");
}

test("[API-2] members join as learners, are refused a vote while they are behind, and leave", async () => {
  await using etcd = await startEtcd();
  const client = new EtcdClient(etcd.client);
  try {
    const [first] = await client.members();
    assert.ok(first !== undefined && !first.isLearner && first.clientUrls.length > 0);
    const peerUrl = "http://127.0.0.1:1";
    const added = (await client.addLearner([peerUrl])).find((one) => one.peerUrls[0] === peerUrl);
    assert.ok(added?.isLearner);
    assert.ok(added.id > 0n && added.id !== first.id);
    await assert.rejects(client.promoteMember(added.id), errors.isNotYet);
    await assert.rejects(client.addLearner(["http://127.0.0.1:2"]), errors.isNotYet);
    await client.put({ key: "/a", value });
    await client.removeMember(added.id);
    assert.deepEqual(
      (await client.members()).map(({ id }) => id),
      [first.id],
    );
  } finally {
    client.close();
  }
});

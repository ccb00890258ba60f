// The store contract on genuine etcd, and what only a store on etcd has to prove.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EtcdClient } from "../../src/base/etcd/client.ts";
import { openEtcd } from "../../src/control/store/etcd/open.ts";
import { openStore } from "../../src/control/store/open.system.ts";
import { bytes, put, shown, Watching } from "../../src/control/store/testing/contract/fixture.ts";
import { storeContract } from "../../src/control/store/testing/contract.ts";
import { type EtcdFixture, startEtcd } from "../fixtures/etcd.ts";

describe("store on etcd", () => {
  let etcd: EtcdFixture;
  let places = 0;
  const newPrefix = (): string => `/place${places++}`;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd?.[Symbol.asyncDispose]());

  storeContract("etcd", async () => {
    const prefix = newPrefix();
    return {
      open: () => openEtcd({ ...etcd.client, prefix }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  });

  test("[API-2] stores under other prefixes see nothing of each other", async () => {
    const prefix = newPrefix();
    const [one, other] = await Promise.all([
      openEtcd({ ...etcd.client, prefix }),
      openEtcd({ ...etcd.client, prefix: `${prefix}x/` }),
    ]);
    try {
      const watching = new Watching(one, "/", await one.revision());
      await put(one, "/a", "mine");
      await put(other, "/a", "theirs");
      assert.deepEqual(shown((await one.list("/")).entries), ["/a=mine"]);
      assert.deepEqual(shown((await other.list("/")).entries), ["/a=theirs"]);
      await watching.reached(await one.revision());
      await watching.stop();
      assert.equal(watching.changes.length, 1);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });

  test("[API-2] a watch catches up with revisions that others have caused", async () => {
    const store = await openEtcd({ ...etcd.client, prefix: newPrefix() });
    const foreign = new EtcdClient(etcd.client);
    try {
      const watching = new Watching(store, "/", await store.revision());
      for (let i = 0; i < 3; i++) {
        await foreign.put({ key: "/foreign", value: bytes(`${i}`) });
        await watching.reached(await store.revision());
      }
      await watching.stop();
      assert.deepEqual(watching.changes, []);
      assert.deepEqual((await store.list("/")).entries, []);
    } finally {
      foreign.close();
      await store.close();
    }
  });
});

describe("store on etcd with certificates and a password", () => {
  let etcd: EtcdFixture;
  let places = 0;
  before(async () => {
    etcd = await startEtcd({ tls: true, rootPassword: "a secret: /?&%" });
  });
  after(() => etcd?.[Symbol.asyncDispose]());

  storeContract("etcd with certificates and a password", async () => {
    const url = etcd.storeUrl(`/place${places++}`);
    return { open: () => openStore(url), [Symbol.asyncDispose]: async () => undefined };
  });
});

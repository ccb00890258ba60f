// The contract of every datastore, as tests. Each `.test.ts` beside a datastore runs it on the real one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { lowestFree, lowestFreePrefix, RangeSet } from "../../../../base/net/range-set.ts";
import { type Datastore, type Pool, poolName, type Reservation } from "../port.ts";

export interface Opened {
  /** A further client of the same data, as another process would open it. */
  connect(): Promise<Datastore>;
  /** Removes the data. */
  dispose(): Promise<void>;
}

export function datastoreContract(name: string, open: () => Promise<Opened>): void {
  const contract = (
    rule: string,
    check: (datastore: Datastore, opened: Opened) => Promise<void>,
  ) => {
    void test(`${name}: ${rule}`, async () => {
      const opened = await open();
      const datastore = await opened.connect();
      try {
        await check(datastore, opened);
      } finally {
        await datastore.close();
        await opened.dispose();
      }
    });
  };

  contract("[IPAM-7] what is put is there for others", async (datastore, opened) => {
    await put(datastore, reservation("10.0.0.7", { containerId: "c1" }));
    await put(datastore, reservation("fd00::7", { containerId: "c1", ifname: "net1" }));
    const other = await opened.connect();
    assert.deepEqual((await other.reservations()).map(summary), [
      "10.0.0.7 default/pod c1 eth0",
      "fd00::7 default/pod c1 net1",
    ]);
    await other.close();
  });

  contract(
    "[IPAM-6] a pool remembers how many of its addresses are handed out",
    async (datastore) => {
      for (const capacity of [200n, 2n ** 63n]) {
        const held = reservation("10.0.0.7", { containerId: "c1" });
        await put(datastore, { ...held, pool: { ...ipv4, capacity } });
        const [found] = await datastore.reservations();
        assert.equal(found?.pool.capacity, capacity);
      }
    },
  );

  contract("[IPAM-5] a holder is found by its container and by its owner", async (datastore) => {
    await put(datastore, reservation("10.0.0.1", { containerId: "c1" }));
    await put(datastore, reservation("10.0.0.2", { owner: "default/other", containerId: "c2" }));
    await put(datastore, reservation("10.0.0.3", { containerId: "c1", ifname: "net1" }));
    const held = (holder: { containerId?: string; owner?: string; ifname: string }) =>
      datastore.transact({ pools: [ipv4], holder }, (view) =>
        view.held.map(({ address }) => address.toString()),
      );
    assert.deepEqual(await held({ containerId: "c1", ifname: "eth0" }), ["10.0.0.1"]);
    assert.deepEqual(await held({ owner: "default/pod", ifname: "net1" }), ["10.0.0.3"]);
    assert.deepEqual(await held({ containerId: "c2", owner: "default/pod", ifname: "eth0" }), [
      "10.0.0.1",
      "10.0.0.2",
    ]);
    assert.deepEqual(await held({ containerId: "c3", ifname: "eth0" }), []);
  });

  contract("[IPAM-5] another container takes a reservation over", async (datastore) => {
    await put(datastore, reservation("10.0.0.1", { containerId: "old" }));
    await put(datastore, reservation("10.0.0.1", { containerId: "new" }));
    assert.deepEqual((await datastore.reservations()).map(summary), [
      "10.0.0.1 default/pod new eth0",
    ]);
    const held = await datastore.transact(
      { pools: [ipv4], holder: { containerId: "old", ifname: "eth0" } },
      (view) => view.held.length,
    );
    assert.equal(held, 0);
  });

  contract("[IPAM-4] the lowest free address is found, also between others", async (datastore) => {
    for (const taken of [1, 2, 3, 5, 6]) await put(datastore, reservation(`10.0.0.${taken}`));
    assert.equal(await lowest(datastore, ipv4), "10.0.0.4");
    await put(datastore, reservation("10.0.0.4"));
    assert.equal(await lowest(datastore, ipv4), "10.0.0.7");
    await remove(datastore, reservation("10.0.0.2"));
    assert.equal(await lowest(datastore, ipv4), "10.0.0.2");
  });

  contract("[NET-4] offsets beyond 64 bits are told apart", async (datastore) => {
    await put(datastore, reservation("fd00::1"));
    await put(datastore, reservation("fd00:0:0:1::1"));
    await put(datastore, reservation("fd00:0:0:8000::1"));
    assert.deepEqual(
      (await datastore.reservations()).map(({ address }) => address.toString()),
      ["fd00::1", "fd00:0:0:1::1", "fd00:0:0:8000::1"],
    );
    assert.equal(await lowest(datastore, ipv6), "fd00::2");
  });

  contract("[IPAM-3] a decision that fails changes nothing", async (datastore) => {
    await put(datastore, reservation("10.0.0.1"));
    await assert.rejects(
      datastore.transact({ pools: [ipv4, ipv6] }, (view) => {
        view.put(reservation("10.0.0.2"));
        view.put(reservation("fd00::2"));
        view.remove(reservation("10.0.0.1"));
        throw new Error("no");
      }),
      /^Error: no$/,
    );
    assert.deepEqual((await datastore.reservations()).map(summary), [
      "10.0.0.1 default/pod c eth0",
    ]);
  });

  contract("[IPAM-9] guarded pools of a network share no address", async (datastore) => {
    await put(datastore, reservation("10.0.0.1"));
    assert.equal(await choose(datastore, pool("10.0.0.0/28")), "10.0.0.2");
    assert.equal(await choose(datastore, pool("10.0.0.0/28", { network: "blue" })), "10.0.0.1");
    assert.equal(await choose(datastore, pool("10.0.0.0/27", { guarded: false })), "10.0.0.1");
    await remove(datastore, reservation("10.0.0.1"));
    assert.equal(await choose(datastore, pool("10.0.0.0/28"), "default/next"), "10.0.0.1");
  });

  contract("[IPAM-11] what is kept for an owner counts as taken", async (datastore) => {
    await put(datastore, reservation("10.0.0.1", { containerId: "", keptUntil: 2000 }));
    await put(
      datastore,
      reservation("10.0.0.2", { owner: "default/a", containerId: "", keptUntil: 1000 }),
    );
    assert.equal(await lowest(datastore, ipv4), "10.0.0.3");
    const kept = await datastore.transact({ pools: [ipv4] }, (view) =>
      view.kept(ipv4).map(({ address, keptUntil: at }) => `${address.toString()} ${at}`),
    );
    assert.deepEqual(kept, ["10.0.0.2 1000", "10.0.0.1 2000"]);
  });

  contract(
    "[IPAM-12] every node gets a slice of its own, and keeps it",
    async (datastore, opened) => {
      const table = { name: "shared", range: Prefix.parse("10.1.0.0/16"), length: 27 };
      const parts = table.range.subdivide(table.length);
      const claim = (client: Datastore, node: string) =>
        client.claimSlice(table, (taken) => {
          const own = taken.find((slice) => slice.node === node);
          const others = RangeSet.of(taken.map(({ prefix }) => prefix));
          const prefix = lowestFreePrefix(parts, others);
          assert.ok(prefix);
          return own ?? { node, prefix };
        });
      const nodes = Array.from({ length: 12 }, (_, index) => `node-${index}`);
      const clients = await Promise.all(nodes.map(() => opened.connect()));
      const claimed = await Promise.all(
        clients.map((client, index) => claim(client, nodes[index] ?? "")),
      );
      assert.equal(new Set(claimed.map((slice) => slice?.prefix.toString())).size, nodes.length);
      assert.deepEqual(await claim(datastore, "node-7"), claimed[7]);
      assert.equal((await datastore.slices(table)).length, nodes.length);
      assert.deepEqual(await datastore.slices({ ...table, name: "other" }), []);
      await Promise.all(clients.map((client) => client.close()));
    },
  );

  contract("[IPAM-8] clients at once never choose the same address", async (datastore, opened) => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => opened.connect()));
    const chosen = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        choose(clients[index % clients.length] ?? datastore, ipv4, `default/pod-${index}`),
      ),
    );
    await Promise.all(clients.map((client) => client.close()));
    const expected = Array.from({ length: 32 }, (_, index) => `10.0.0.${index + 1}`);
    assert.deepEqual(new Set(chosen), new Set(expected));
    assert.equal((await datastore.reservations()).length, 32);
  });
}

function pool(range: string, more: Partial<Pool> = {}): Pool {
  const prefix = Prefix.parse(range);
  const network = more.network ?? "";
  return {
    name: poolName({ network, range: prefix }),
    range: prefix,
    network,
    guarded: true,
    ...more,
  };
}

const ipv4 = pool("10.0.0.0/24");
const ipv6 = pool("fd00::/16");

function reservation(text: string, more: Partial<Reservation> = {}): Reservation {
  const address = Address.parse(text);
  return {
    pool: address.family === "IPv4" ? ipv4 : ipv6,
    address,
    owner: "default/pod",
    ifname: "eth0",
    containerId: "c",
    ...more,
  };
}

function put(datastore: Datastore, one: Reservation): Promise<void> {
  return datastore.transact({ pools: [one.pool], holder: one }, (view) => view.put(one));
}

function remove(datastore: Datastore, one: Reservation): Promise<void> {
  return datastore.transact({ pools: [one.pool], holder: one }, (view) => view.remove(one));
}

function lowest(datastore: Datastore, from: Pool): Promise<string | undefined> {
  const usable = { first: from.range.at(1n), last: from.range.last };
  return datastore.transact({ pools: [from] }, (view) =>
    lowestFree(usable, ...view.taken(from))?.toString(),
  );
}

function choose(datastore: Datastore, from: Pool, owner = "default/chooser"): Promise<string> {
  const holder = { owner, containerId: owner.replace("/", "-"), ifname: "eth0" };
  return datastore.transact({ pools: [from], holder }, (view) => {
    const usable = { first: from.range.at(1n), last: from.range.last };
    const address = lowestFree(usable, ...view.taken(from));
    assert.ok(address);
    view.put({ ...holder, pool: from, address });
    return address.toString();
  });
}

function summary({ address, owner, containerId, ifname }: Reservation): string {
  return `${address.toString()} ${owner} ${containerId} ${ifname}`;
}

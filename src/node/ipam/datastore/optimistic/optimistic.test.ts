import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { lowestFree } from "../../../../base/net/range-set.ts";
import { IpamError } from "../../errors.ts";
import { systemParts } from "../parts.ts";
import {
  byPoolAndAddress,
  type Pool,
  poolName,
  type Reservation,
  type Slice,
  type SliceTable,
} from "../port.ts";
import { datastoreContract } from "../testing/contract.ts";
import { Ledger } from "./ledger.ts";
import { type Backend, Optimistic, type SlicesRead } from "./optimistic.ts";
import { type Chance, systemChance } from "./persist.ts";

/** A fake backend: reservations in memory, with one revision for all of them, as a server would keep them. */
class FakeBackend implements Backend<Revised> {
  readonly batchLimit = 8;
  commits = 0;
  conflicts = 0;
  reads = 0;
  /** The number of next commits that fail, as if another writer were faster. */
  spoil = 0;
  #memory: Revised | undefined;
  #revision = 0;
  readonly #stored = new Map<string, Reservation>();
  readonly #slices = new Map<string, Slice[]>();

  recall(): Revised | undefined {
    const memory = this.#memory;
    this.#memory = undefined;
    return memory;
  }

  /** Writes a reservation as another client would. */
  write(reservation: Reservation): void {
    this.#stored.set(keyOf(reservation), reservation);
    this.#revision++;
  }

  async read(): Promise<Revised> {
    this.reads++;
    const ledger = new Revised(this.#revision);
    for (const reservation of this.#stored.values()) ledger.load(reservation);
    return ledger;
  }

  async commit(ledger: Revised): Promise<boolean> {
    if (this.spoil > 0) {
      this.spoil--;
      this.#revision++;
    }
    if (ledger.revision !== this.#revision) {
      this.conflicts++;
      return false;
    }
    for (const { before, after } of ledger.changes()) {
      if (before !== undefined) this.#stored.delete(keyOf(before));
      if (after !== undefined) this.#stored.set(keyOf(after), after);
    }
    this.commits++;
    ledger.settle();
    ledger.revision = ++this.#revision;
    this.#memory = ledger;
    return true;
  }

  /** The number of next decisions that `finish` sends back to be made again. */
  unfinished = 0;

  async finish(): Promise<boolean> {
    return this.unfinished-- <= 0;
  }

  async reservations(): Promise<Reservation[]> {
    return [...this.#stored.values()].toSorted(byPoolAndAddress);
  }

  async livingOwners(): Promise<undefined> {
    return undefined;
  }

  async readSlices({ name }: SliceTable): Promise<SlicesRead> {
    const slices = this.#slices.get(name) ?? [];
    return {
      slices,
      add: async (slice) => {
        if ((this.#slices.get(name)?.length ?? 0) !== slices.length) return false;
        this.#slices.set(name, [...slices, slice]);
        return true;
      },
    };
  }

  async releaseSlices(): Promise<Slice[]> {
    return [];
  }

  async close(): Promise<undefined> {
    return undefined;
  }
}

class Revised extends Ledger {
  revision: number;

  constructor(revision: number) {
    super();
    this.revision = revision;
  }
}

function keyOf({ pool, address }: Reservation): string {
  return `${pool.name} ${address.toString()}`;
}

datastoreContract("optimistic", async () => {
  const backend = new FakeBackend();
  return {
    connect: async () => new Optimistic(backend, systemChance(systemParts)),
    dispose: async () => undefined,
  };
});

const range = Prefix.parse("10.0.0.0/24");
const pool: Pool = { name: poolName({ network: "", range }), range, network: "", guarded: true };

function reservationOf(owner: string, address: string): Reservation {
  return { pool, address: Address.parse(address), owner, ifname: "eth0", containerId: owner };
}

function choose(datastore: Optimistic<Revised>, owner: string): Promise<string> {
  return datastore.transact({ pools: [pool] }, (view) => {
    const address = lowestFree(range, ...view.taken(pool));
    assert.ok(address);
    if (owner === "fails") throw new Error("no");
    view.put({ pool, address, owner, ifname: "eth0", containerId: owner });
    return address.toString();
  });
}

test("[IPAM-8] decisions that arrive during a commit are committed together", async () => {
  const backend = new FakeBackend();
  const datastore = new Optimistic(backend, systemChance(systemParts));
  const owners = ["a", "b", "fails", "c", "d"];
  const chosen = await Promise.allSettled(owners.map((owner) => choose(datastore, owner)));
  assert.deepEqual(
    chosen.map((one) => (one.status === "fulfilled" ? one.value : "failed")),
    ["10.0.0.0", "10.0.0.1", "failed", "10.0.0.2", "10.0.0.3"],
  );
  assert.equal(backend.commits, 2, "the first alone, then the rest");
});

test("[IPAM-8] additions are decided on what was committed last, as long as that is all there is", async () => {
  const backend = new FakeBackend();
  const datastore = new Optimistic(backend, systemChance(systemParts));
  for (const owner of ["a", "b", "c"]) await choose(datastore, owner);
  assert.equal(backend.reads, 1);
  backend.write(reservationOf("other", "10.0.0.3"));
  assert.equal(await choose(datastore, "d"), "10.0.0.4");
  assert.deepEqual([backend.reads, backend.conflicts], [2, 1]);
});

test("[IPAM-5] who finds nothing to do, or gives something up, has looked first", async () => {
  const backend = new FakeBackend();
  const datastore = new Optimistic(backend, systemChance(systemParts));
  await choose(datastore, "a");
  backend.write(reservationOf("b", "10.0.0.1"));
  for (const [owner, count] of Object.entries({ b: 1, a: 1, nobody: 0 })) {
    const holder = { ifname: "eth0", containerId: owner };
    const held = await datastore.transact({ pools: [pool], holder }, (view) => {
      for (const reservation of view.held) view.remove(reservation);
      return view.held;
    });
    assert.equal(held.length, count, owner);
  }
  assert.deepEqual([backend.reads, backend.conflicts], [4, 0]);
});

test("[IPAM-9] what cannot be finished is decided again, and others do not wait for it", async () => {
  const backend = new FakeBackend();
  const datastore = new Optimistic(backend, systemChance(systemParts));
  backend.unfinished = 1;
  const chosen = await Promise.all(["a", "b"].map((owner) => choose(datastore, owner)));
  assert.deepEqual(chosen, ["10.0.0.2", "10.0.0.1"]);
  await datastore.close();
});

test("[IPAM-8] a conflict is decided again, after pauses that grow and differ", async () => {
  const backend = new FakeBackend();
  backend.spoil = 9;
  const pauses: number[] = [];
  const chance: Chance = {
    random: () => 1,
    now: () => 0,
    sleep: async (milliseconds) => void pauses.push(milliseconds),
  };
  assert.equal(await choose(new Optimistic(backend, chance), "a"), "10.0.0.0");
  assert.deepEqual(pauses, [4, 8, 16, 32, 64, 128, 256, 500, 500]);
});

test("[IPAM-6] [IPAM-8] after a minute of conflicts the caller is asked to try again later", async () => {
  const backend = new FakeBackend();
  backend.spoil = Number.POSITIVE_INFINITY;
  let now = 0;
  const chance: Chance = {
    random: () => 1,
    now: () => now,
    sleep: async (milliseconds) => void (now += milliseconds),
  };
  await assert.rejects(
    choose(new Optimistic(backend, chance), "a"),
    (error) => error instanceof IpamError && error.code === 11,
  );
  assert.ok(backend.conflicts > 100);
});

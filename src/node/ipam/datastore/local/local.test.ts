import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { RangeSet } from "../../../../base/net/range-set.ts";
import { IpamError } from "../../errors.ts";
import { addressFrom } from "../hexadecimal.ts";
import { systemParts } from "../parts.ts";
import { type Pool, poolName, type Reservation } from "../port.ts";
import { datastoreContract } from "../testing/contract.ts";
import { openLocal } from "./local.ts";

datastoreContract("local", async () => {
  const directory = mkdtempSync(join(tmpdir(), "ipam-"));
  return {
    connect: async () => openLocal(directory, systemParts),
    dispose: async () => rmSync(directory, { recursive: true }),
  };
});

function temporary(t: { after(work: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), "ipam-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

const range = Prefix.parse("10.0.0.0/24");
const pool: Pool = { name: poolName({ network: "", range }), range, network: "", guarded: true };

function reservation(offset: number): Reservation {
  return {
    pool,
    address: range.at(BigInt(offset)),
    owner: `default/pod-${offset}`,
    ifname: "eth0",
    containerId: "c",
  };
}

test("[NET-4] the runs are always the reservations, joined", async (t) => {
  const directory = temporary(t);
  const datastore = openLocal(directory, systemParts);
  const database = databaseIn(directory);
  const change = fc.record({ put: fc.boolean(), offset: fc.integer({ min: 0, max: 40 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 60 }), async (changes) => {
      await datastore.transact({ pools: [pool] }, (view) => {
        for (const { put, offset } of changes) {
          if (put) view.put(reservation(offset));
          else view.remove(reservation(offset));
        }
      });
      const reserved = (await datastore.reservations()).map(({ address }) => address);
      const expected = [...RangeSet.of(reserved)].map(String);
      for (const space of [`pool ${pool.name}`, "network IPv4 "]) {
        const runs = database.prepare("SELECT first, last FROM run WHERE space = ?").all(space);
        const shown = runs.map((run) =>
          [run.first, run.last].map((one) => shownAddress(one)).join("-"),
        );
        assert.deepEqual(shown, expected);
      }
    }),
    { numRuns: 60 },
  );
  database.close();
  await datastore.close();
});

test("[IPAM-7] after a reboot the last database is taken over if it is whole", async (t) => {
  const directory = temporary(t);
  const before = openLocal(directory, systemParts);
  await before.transact({ pools: [pool] }, (view) => view.put(reservation(5)));
  await before.close();
  const file = reboot(directory);
  const after = openLocal(directory, systemParts);
  assert.deepEqual(
    (await after.reservations()).map(({ address }) => address),
    [Address.parse("10.0.0.5")],
  );
  await after.close();
  assert.ok(!readdirSync(directory).includes(file));

  writeFileSync(join(directory, reboot(directory)), "damaged by a power cut");
  const fresh = openLocal(directory, systemParts);
  assert.deepEqual(await fresh.reservations(), []);
  await fresh.close();
  assert.equal(readdirSync(directory).filter((name) => name.endsWith(".db")).length, 1);
});

test("[IPAM-6] a damaged database and an impossible place are I/O errors that name it", async (t) => {
  const directory = temporary(t);
  await openLocal(directory, systemParts).close();
  writeFileSync(join(directory, databaseFile(directory)), "damaged while running".repeat(500));
  const isNamed = (error: unknown) =>
    error instanceof IpamError && error.code === 5 && error.message.includes(directory);
  await assert.rejects(async () => openLocal(directory, systemParts).reservations(), isNamed);
  const file = join(directory, "file");
  writeFileSync(file, "");
  assert.throws(() => openLocal(join(file, "below"), systemParts), isNamed);
});

function databaseFile(directory: string): string {
  return readdirSync(directory).find((name) => name.endsWith(".db")) ?? "";
}

function databaseIn(directory: string): DatabaseSync {
  return new DatabaseSync(join(directory, databaseFile(directory)));
}

/** Renames the current database to that of an earlier boot. */
function reboot(directory: string): string {
  renameSync(join(directory, databaseFile(directory)), join(directory, "reservations.earlier.db"));
  return "reservations.earlier.db";
}

function shownAddress(text: unknown): string {
  return addressFrom(String(text)).toString();
}

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openDatastore } from "../../src/ipam/datastore/open.ts";
import { reconcile } from "../../src/ipam/reconcile.ts";
import { Storm, seeded } from "../fixtures/ipam-storm.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));

const adds = process.env["TANDEM_SOAK"] === undefined ? 200 : 2000;

test(`[IPAM-8] [IPAM-10] local: ${adds} ADDs and DELs by 64 processes, some killed: no duplicate, no leak`, {
  timeout: 600_000,
}, async () => {
  const dataDir = join(scratch, "data");
  const seed = Date.now() % 1_000_000;
  const storm = new Storm({
    scratch,
    ipam: {
      type: "tandem-ipam",
      datastore: "local",
      data_dir: dataDir,
      node_name: "here",
      ipRanges: [{ range: "10.99.0.0/20" }, { range: "fd99::/64" }],
    },
    adds,
    processes: 64,
    kills: 0.25,
    random: seeded(seed),
  });
  const { living, acknowledged, killed } = await storm.rage();
  assert.ok(killed > adds / 10, `only ${killed} were killed`);
  assert.ok(acknowledged > adds / 2, `only ${acknowledged} were acknowledged`);

  const datastore = await openDatastore({ type: "local", dataDir });
  try {
    const freed = await reconcile(datastore, { now: Date.now(), node: "here" });
    const held = living.flatMap(({ addresses }) => addresses).toSorted();
    const reserved = (await datastore.reservations()).map(({ address }) => address.toString());
    assert.deepEqual(reserved.toSorted(), held, `seed ${seed}, ${freed.length} were freed`);
    assert.deepEqual(await reconcile(datastore, { now: Date.now(), node: "here" }), []);
    for (const pod of living) await storm.takeDown(pod);
    assert.deepEqual(await datastore.reservations(), []);
  } finally {
    await datastore.close();
  }
});

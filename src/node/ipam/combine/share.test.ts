import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { DatastoreSettings } from "../config/datastore.ts";
import type { Datastore } from "../datastore/port.ts";
import { sharing } from "./share.ts";

const scratch = mkdtempSync(join(tmpdir(), "tandem-share-"));
after(() => rmSync(scratch, { recursive: true }));

/** Opens fake datastores that only tell whether they are open. */
function countingOpen() {
  const states: ("open" | "closed")[] = [];
  const open = async (): Promise<Datastore> => {
    const index = states.push("open") - 1;
    const unused = () => assert.fail("it is only opened and closed");
    return {
      transact: unused,
      reservations: unused,
      livingOwners: unused,
      slices: unused,
      claimSlice: unused,
      releaseSlices: unused,
      close: async () => {
        states[index] = "closed";
      },
    };
  };
  return { states, open: sharing(open) };
}

test("who asks with the same settings gets the same datastore, and it stays open", async () => {
  const { states, open } = countingOpen();
  const settings: DatastoreSettings = { type: "etcd", endpoints: ["http://here"] };
  const [first, second] = await Promise.all([open(settings), open({ ...settings })]);
  await first.close();
  await second.close();
  await (await open(settings)).close();
  await open({ ...settings, endpoints: ["http://there"] });
  assert.deepEqual(states, ["open", "open"]);
});

test("another kubeconfig at the same place is used, and the old one as long as somebody does", async () => {
  const { states, open } = countingOpen();
  const kubeconfig = join(scratch, "kubeconfig");
  writeFileSync(kubeconfig, "old");
  const user = await open({ type: "kubernetes", kubeconfig });
  writeFileSync(kubeconfig, "renewed");
  await open({ type: "kubernetes", kubeconfig });
  assert.deepEqual(states, ["open", "open"]);
  await user.close();
  assert.deepEqual(states, ["closed", "open"]);
});

test("[IPAM-8] a local datastore that was removed is not gone on with", async () => {
  const { states, open } = countingOpen();
  const dataDir = join(scratch, "data");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "reservations.db"), "");
  await (await open({ type: "local", dataDir })).close();
  rmSync(dataDir, { recursive: true });
  await (await open({ type: "local", dataDir })).close();
  assert.deepEqual(states, ["closed", "open"]);
});

test("no more stay open than are of use", async () => {
  const { states, open } = countingOpen();
  for (let n = 0; n < 100; n++) {
    await (await open({ type: "etcd", endpoints: [`http://host-${n}`] })).close();
  }
  assert.ok(states.filter((state) => state === "open").length < 40);
});

test("one that cannot be opened is tried anew", async () => {
  let attempts = 0;
  const open = sharing(async () => {
    attempts++;
    throw new Error("Cannot open: no");
  });
  const settings: DatastoreSettings = { type: "etcd", endpoints: [] };
  for (let n = 0; n < 2; n++) await assert.rejects(open(settings), /Cannot open/);
  assert.equal(attempts, 2);
});

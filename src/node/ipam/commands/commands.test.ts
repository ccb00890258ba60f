import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { Address } from "../../../base/net/address.ts";
import { createLog } from "../../../base/program/log.ts";
import type { Datastore } from "../datastore/port.ts";
import { IpamError } from "../errors.ts";
import { hasNamespace } from "../namespaces.system.ts";
import { Reconciler } from "../reconciler.ts";
import { Plugin } from "../testing/plugin.ts";
import { importReservations, readPools } from "./import.ts";
import { releaseByHand } from "./release.ts";
import { describeOverview, formatOverview, overview } from "./show.ts";
import { chooseStore } from "./store.ts";

const dual = { ipRanges: [{ range: "10.0.0.0/29" }, { range: "fd00::/64" }], sticky_seconds: 60 };

async function threePods(plugin: Plugin): Promise<void> {
  for (const pod of ["a", "b", "c"]) await plugin.call("ADD", dual, { pod, container: `c-${pod}` });
  await plugin.call("DEL", dual, { container: "c-c" });
}

test("show: a bar for every range, and who holds what", async (t) => {
  const plugin = new Plugin(t);
  assert.equal(
    formatOverview(await plugin.with((store) => overview(store))),
    "Nothing is reserved.\n",
  );
  await threePods(plugin);
  const text = formatOverview(await plugin.with((store) => overview(store)));
  assert.match(text, /10.0.0.0-29 +10.0.0.0\/29 +2 +1 +6 +\[#######--- +\] 50%/);
  assert.match(text, /fd00---64 +fd00::\/64 +2 +1 +2\^64 +\[#- +\] <0.01%/);
  assert.match(text, /10.0.0.2 +default\/b +eth0 +c-b +node-1 +held in \/run\/netns\/none/);
  assert.match(text, /10.0.0.3 +default\/c +eth0 +<none> +node-1 +kept until 2023-11-14T/);
});

test("show: an exhausted range is full, whatever of it is excluded", async (t) => {
  const plugin = new Plugin(t);
  const ipam = { range: "10.0.0.0/29", exclude: ["10.0.0.4/30"], gateway: "10.0.0.1" };
  for (const pod of ["a", "b"]) await plugin.call("ADD", ipam, { pod, container: `c-${pod}` });
  const { error } = await plugin.call("ADD", ipam, { pod: "c", container: "c-c" });
  assert.equal(error.code, 100);
  const text = formatOverview(await plugin.with((store) => overview(store)));
  assert.match(text, /10.0.0.0\/29 +2 +0 +2 +\[#{20}\] 100%/);
});

test("show: one pool, for programs", async (t) => {
  const plugin = new Plugin(t);
  await threePods(plugin);
  const shown = describeOverview(await plugin.with((store) => overview(store, "fd00::/64")));
  const { pools, reservations } = JSON.parse(JSON.stringify(shown)) as Record<string, object[]>;
  assert.deepEqual(pools, [
    {
      name: "fd00---64",
      range: "fd00::/64",
      network: "",
      size: String(2n ** 64n - 1n),
      held: 2,
      kept: 1,
    },
  ]);
  assert.equal(reservations?.length, 3);
});

test("release: by address and by owner", async (t) => {
  const plugin = new Plugin(t);
  await threePods(plugin);
  const addresses = ["10.0.0.1", "10.0.0.6"].map(Address.parse);
  const { released, missing } = await plugin.with((store) => releaseByHand(store, { addresses }));
  assert.deepEqual(
    released.map(({ owner }) => owner),
    ["default/a"],
  );
  assert.deepEqual(missing.map(String), ["10.0.0.6"]);
  await plugin.with((store) => releaseByHand(store, { addresses: [], owner: "default/b" }));
  assert.deepEqual(await plugin.reserved(), ["10.0.0.3", "fd00::1", "fd00::3"]);
  await plugin.with((store) =>
    releaseByHand(store, { addresses: [], owner: "default/c", network: "blue" }),
  );
  assert.equal((await plugin.reserved()).length, 3);
});

test("[IPAM-7] import: pools of whereabouts, once, and never over somebody else", async (t) => {
  const plugin = new Plugin(t);
  await plugin.call("ADD", { range: "10.0.0.0/24" }, { pod: "here", container: "h" });
  const pool = (name: string, range: string, allocations: object) => ({
    kind: "IPPool",
    metadata: { name },
    spec: { range, allocations },
  });
  const held = (podref: string) => ({ id: "c", podref, ifname: "net1" });
  const documents = [
    {
      kind: "List",
      items: [pool("10.0.0.0-24", "10.0.0.0/24", { 1: held("ns/a"), 2: held("ns/b") })],
    },
    pool("blue-fd00---64", "fd00::/64", { "18446744073709551614": held("ns/a") }),
    { kind: "ConfigMap", metadata: { name: "other" } },
  ];
  const reservations = readPools(documents);
  const count = async () => {
    const report = await plugin.with((store) => importReservations(store, reservations));
    return [report.imported.length, report.present.length, report.refused.length];
  };
  assert.deepEqual(await count(), [2, 0, 1]);
  assert.deepEqual(await count(), [0, 2, 1]);
  assert.deepEqual(await plugin.reserved(), ["10.0.0.1", "10.0.0.2", "fd00::ffff:ffff:ffff:fffe"]);
  const again = await plugin.call(
    "ADD",
    { range: "10.0.0.0/24" },
    { args: "K8S_POD_NAMESPACE=ns;K8S_POD_NAME=b", ifname: "net1", container: "new" },
  );
  assert.deepEqual(again.ips, ["10.0.0.2/24"], "a pod finds what was imported for it");
});

test("a datastore is named in one way at most", (t) => {
  const { directory } = new Plugin(t);
  assert.deepEqual(chooseStore({ dataDir: "/d" }), { type: "local", dataDir: "/d" });
  assert.deepEqual(chooseStore({ kubeconfig: "/k" }), { type: "kubernetes", kubeconfig: "/k" });
  assert.deepEqual(chooseStore({ etcd: "a:1,b:2" }), {
    type: "etcd",
    endpoints: ["http://a:1", "http://b:2"],
  });
  assert.throws(() => chooseStore({ dataDir: "/d", etcd: "a:1" }), IpamError);
  const file = join(directory, "net.conflist");
  const ipam = { type: "tandem-ipam", datastore: "local", data_dir: "/from-file" };
  for (const content of [{ ipam }, { plugins: [{ type: "portmap" }, { ipam }] }, ipam]) {
    writeFileSync(file, JSON.stringify(content));
    assert.deepEqual(chooseStore({ cniConfig: file }), { type: "local", dataDir: "/from-file" });
  }
  writeFileSync(file, "[]");
  assert.throws(() => chooseStore({ cniConfig: file }), /it is no network configuration/);
});

test("[IPAM-10] the reconciler frees within a minute, says what, and goes on after a failure", async (t) => {
  const plugin = new Plugin(t);
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line), format: "json" });
  const stopping = new AbortController();
  await plugin.with(async (store) => {
    let failures = 1;
    const datastore: Datastore = {
      transact: (scope, decide) => store.transact(scope, decide),
      reservations: () =>
        failures-- > 0 ? Promise.reject(new Error("out of reach")) : store.reservations(),
      livingOwners: () => store.livingOwners(),
      slices: (table) => store.slices(table),
      claimSlice: (table, choose) => store.claimSlice(table, choose),
      releaseSlices: () => store.releaseSlices(),
      close: async () => undefined,
    };
    const running = new Reconciler({ datastore, node: "node-1", hasNamespace, clock, log }).run(
      stopping.signal,
    );
    await plugin.call(
      "ADD",
      { range: "10.0.0.0/24" },
      { pod: "a", netns: join(plugin.directory, "gone") },
    );
    for (
      let waited = 0;
      waited < 60_000 && (await plugin.reserved()).length > 0;
      waited += 30_000
    ) {
      await clock.advance(30_000);
    }
    assert.deepEqual(await plugin.reserved(), []);
    stopping.abort();
    await running;
  });
  assert.match(lines[0] ?? "", /cannot reconcile reservations.*out of reach/);
  assert.match(lines[1] ?? "", /released an address.*10.0.0.1.*default\/a/);
});

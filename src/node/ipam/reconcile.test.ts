import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { poolName, type Reservation } from "./datastore/port.ts";
import { hasNamespace } from "./namespaces.system.ts";
import { abandoned, reconcile, type World } from "./reconcile.ts";
import { Plugin } from "./testing/plugin.ts";

const range = Prefix.parse("10.0.0.0/24");
const pool = { name: poolName({ network: "", range }), range, network: "", guarded: true };

function reservation(last: number, more: Partial<Reservation> = {}): Reservation {
  const address = Address.parse(`10.0.0.${last}`);
  return { pool, address, owner: `ns/p${last}`, ifname: "eth0", containerId: "c", ...more };
}

const world: World = { now: 1000, node: "here", hasNamespace: (path) => path === "/there" };

test("[IPAM-10] what lives is what the API lists", () => {
  const found = abandoned([reservation(1), reservation(2)], {
    ...world,
    livingOwners: new Map([["ns/p1", undefined]]),
  });
  assert.deepEqual(found.map(String), [reservation(2)].map(String));
  assert.equal(found[0]?.owner, "ns/p2");
});

test("[IPAM-10] without an API, this node's reservations live as long as their namespaces", () => {
  const found = abandoned(
    [
      reservation(1, { node: "here", netns: "/there" }),
      reservation(2, { node: "here", netns: "/gone" }),
      reservation(3, { node: "elsewhere", netns: "/gone" }),
      reservation(4, { node: "here" }),
    ],
    world,
  );
  assert.deepEqual(
    found.map(({ address }) => address.toString()),
    ["10.0.0.2"],
  );
});

test("[IPAM-11] what is kept for an owner goes when its time is over", () => {
  const found = abandoned(
    [reservation(1, { keptUntil: 999 }), reservation(2, { keptUntil: 1001 })],
    {
      ...world,
      livingOwners: new Map(),
    },
  );
  assert.deepEqual(
    found.map(({ keptUntil }) => keptUntil),
    [999],
  );
});

test("[IPAM-10] a namespace is there, gone, or not to be judged", async (t) => {
  const plugin = new Plugin(t);
  const directory = join(plugin.directory, "netns");
  mkdirSync(directory);
  const link = join(directory, "living");
  symlinkSync("/proc/self/ns/net", link);
  writeFileSync(join(directory, "leftover"), "");
  const ipam = { range: "10.0.0.0/24", node_name: "here" };
  const paths = [link, join(directory, "leftover"), join(directory, "none"), "/not/mounted/here"];
  for (const [index, netns] of paths.entries()) {
    await plugin.call("ADD", ipam, { container: `c${index}`, netns });
  }
  const released = () =>
    plugin.with(async (datastore) =>
      (await reconcile(datastore, { now: 0, node: "here", hasNamespace })).map(
        ({ netns }) => netns,
      ),
    );
  assert.deepEqual(await released(), paths.slice(1, 3));
  assert.deepEqual(await plugin.reserved(), ["10.0.0.1", "10.0.0.4"]);
  unlinkSync(link);
  assert.deepEqual(await released(), [link]);
});

// Cases that the tests of whereabouts expect as well, where its rules and ours agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { JsonObject } from "./config/fields.ts";
import { poolName } from "./datastore/port.ts";
import { Plugin } from "./testing/plugin.ts";

interface Case {
  readonly ipam: JsonObject;
  readonly reserved?: readonly string[];
  readonly expected: readonly string[] | { readonly code: number; readonly message: RegExp };
}

const full = { code: 100, message: /^Cannot allocate from / };
const badExclude = { code: 7, message: /^Cannot use exclude range / };

const cases: Record<string, Case> = {
  "[IPAM-4] 1": { ipam: { range: "192.168.1.1/24" }, expected: ["192.168.1.1/24"] },
  "[IPAM-4] 2": { ipam: { range: "caa5::0/112" }, expected: ["caa5::1/112"] },
  "[IPAM-4] 3": { ipam: { range: "::1/126" }, expected: ["::1/126"] },
  "[IPAM-4] 4": { ipam: { range: "fd::1/116" }, expected: ["fd::1/116"] },
  "[IPAM-4] 5": { ipam: { range: "100::2:1/126" }, expected: ["100::2:1/126"] },
  "[IPAM-4] 6": {
    ipam: { range: "192.168.0.0/29", exclude: ["192.168.0.0/30"] },
    expected: ["192.168.0.4/29"],
  },
  "[IPAM-4] 7": {
    ipam: { range: "192.168.0.0/29", exclude: ["192.168.0.1"] },
    expected: ["192.168.0.2/29"],
  },
  "[IPAM-4] 8": {
    ipam: { range: "192.168.0.0/29", exclude: ["192.168.0.1/123"] },
    expected: badExclude,
  },
  "[IPAM-4] 9": {
    ipam: { range: "100::2:1/125", exclude: ["100::2:1/126"] },
    expected: ["100::2:4/125"],
  },
  "[IPAM-4] 10": {
    ipam: { range: "100::2:1/125", exclude: ["100::2:1"] },
    expected: ["100::2:2/125"],
  },
  "[IPAM-4] 11": { ipam: { range: "100::2:1/125", exclude: ["100::2::1"] }, expected: badExclude },
  "[IPAM-4] 12": {
    ipam: { range: "2001:db8::/30", exclude: ["2001:db8::/32"] },
    expected: ["2001:db9::/30"],
  },
  "[IPAM-4] 13": {
    ipam: {
      range: "192.168.0.0/28",
      exclude: ["192.168.0.0/30", "192.168.0.6/31", "192.168.0.8/31", "192.168.0.4/30"],
    },
    expected: ["192.168.0.10/28"],
  },
  "[IPAM-4] 14": {
    ipam: { range: "192.168.0.0/29", exclude: ["192.168.0.0/30"] },
    reserved: ["192.168.0.4", "192.168.0.5", "192.168.0.6"],
    expected: full,
  },
  "[IPAM-4] 15": {
    ipam: { range: "192.168.0.0/29", exclude: ["192.168.0.4/30"] },
    reserved: ["192.168.0.1", "192.168.0.2", "192.168.0.3"],
    expected: full,
  },
  "[IPAM-4] 16": {
    ipam: { range: "100::2:1/125", exclude: ["100::2:4/126"] },
    reserved: ["100::2:1", "100::2:2", "100::2:3"],
    expected: full,
  },
  "[IPAM-4] 17": {
    ipam: { range: "192.168.0.0/29", range_start: "192.168.0.0", range_end: "192.168.0.8" },
    expected: ["192.168.0.1/29"],
  },
  "[IPAM-4] 18": {
    ipam: {
      range: "192.168.0.0/28",
      range_start: "192.168.0.1",
      range_end: "192.168.0.6",
      exclude: ["192.168.0.4/30"],
    },
    reserved: ["192.168.0.1", "192.168.0.2", "192.168.0.3"],
    expected: full,
  },
  "[IPAM-4] 19": {
    ipam: { range: "192.168.0.0/28", range_start: "192.168.0.1", range_end: "192.168.0.6" },
    reserved: ["192.168.0.1", "192.168.0.2", "192.168.0.5"],
    expected: ["192.168.0.3/28"],
  },
  "[IPAM-1] 37": { ipam: { range: "00192.00168.1.0/24" }, expected: ["192.168.1.1/24"] },
  "[IPAM-1] 38": {
    ipam: { type: "static", range: "10.0.0.0/8" },
    expected: { code: 7, message: /ipam.type "static"/ },
  },
  "[IPAM-4] 39": {
    ipam: { range: "192.168.1.0/24", range_start: "192.168.1.5", range_end: "192.168.1.12" },
    reserved: [5, 6, 7, 8, 9, 10, 11, 12].map((n) => `192.168.1.${n}`),
    expected: full,
  },
  "[IPAM-4] 40": {
    ipam: { range: "192.168.1.0/24", exclude: ["192.168.1.0/28", "192.168.1.16/28"] },
    expected: ["192.168.1.32/24"],
  },
  "[IPAM-4] 41": {
    ipam: { range: "caa5::/112", exclude: ["caa5::/113"] },
    expected: ["caa5::8000/112"],
  },
  "[IPAM-1] 42": {
    ipam: { range: "192.168.1.44/28", addresses: [{ address: "10.10.0.1/24" }] },
    expected: ["192.168.1.33/28", "10.10.0.1/24"],
  },
};

for (const [name, { ipam, reserved = [], expected }] of Object.entries(cases)) {
  test(`public case ${name}: ${JSON.stringify(ipam)}`, async (t) => {
    const plugin = new Plugin(t);
    if (reserved.length > 0) await reserve(plugin, String(ipam.range), reserved);
    const { ips, error } = await plugin.call("ADD", ipam);
    if ("code" in expected) {
      assert.equal(error.code, expected.code);
      assert.match(error.msg, expected.message);
    } else {
      assert.deepEqual(ips, expected);
    }
  });
}

test("public cases [IPAM-9] 45 and 46: overlapping ranges share no address unless they may", async (t) => {
  const plugin = new Plugin(t);
  const add = async (range: string, guarded: boolean, container: string) => {
    const ipam = { range, enable_overlapping_ranges: guarded };
    return (await plugin.call("ADD", ipam, { container })).ips[0];
  };
  assert.equal(await add("192.168.22.0/24", true, "c1"), "192.168.22.1/24");
  assert.equal(await add("192.168.22.0/28", true, "c2"), "192.168.22.2/28");
  assert.equal(await add("192.168.33.0/24", false, "c3"), "192.168.33.1/24");
  assert.equal(await add("192.168.33.0/28", false, "c4"), "192.168.33.1/28");
});

const names: [network: string, node: string, range: string, name: string][] = [
  ["testnetwork", "testnode", "10.0.0.0/8", "testnetwork-testnode-10.0.0.0-8"],
  ["", "", "caa5::/64", "caa5---64"],
  ["blue", "", "10.0.0.0/8", "blue-10.0.0.0-8"],
  ["", "", "::/64", "0---64"],
];
for (const [network, node, range, name] of names) {
  test(`public case [IPAM-7] 34: pool ${name}`, () => {
    assert.equal(poolName({ network, node, range: Prefix.parse(range) }), name);
  });
}

async function reserve(plugin: Plugin, text: string, addresses: readonly string[]): Promise<void> {
  const range = Prefix.parse(text);
  const pool = { name: poolName({ network: "", range }), range, network: "", guarded: true };
  await plugin.with((datastore) =>
    datastore.transact({ pools: [pool] }, (view) => {
      for (const address of addresses) {
        const owner = `default/holder-of-${address}`;
        view.put({
          pool,
          address: Address.parse(address),
          owner,
          ifname: "eth0",
          containerId: "x",
        });
      }
    }),
  );
}

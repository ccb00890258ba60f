// The kubernetes datastore on the project's API server, in the format existing pools have.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { datastoreContract } from "../../src/node/ipam/datastore/testing/contract.ts";
import { addressesOf, assertError, callCni, type Json } from "../fixtures/ipam.ts";
import { IpamCluster } from "../fixtures/ipam-cluster.ts";

const dual = { ipRanges: [{ range: "10.60.0.0/16" }, { range: "fd60::/64" }] };

describe("kubernetes datastore", () => {
  let cluster: IpamCluster;
  before(async () => {
    cluster = await IpamCluster.start();
  });
  after(() => cluster?.[Symbol.asyncDispose]());
  beforeEach(() => cluster.wipe());

  datastoreContract("kubernetes", async () => ({
    connect: () => cluster.open(),
    dispose: () => cluster.wipe(),
  }));

  test("[IPAM-7] pools and reservations are written as whereabouts writes them", async () => {
    assert.deepEqual(addressesOf(await cluster.add("a", dual)), ["10.60.0.1", "fd60::1"]);
    assert.deepEqual(addressesOf(await cluster.add("b", { ...dual, network_name: "blue" })), [
      "10.60.0.1",
      "fd60::1",
    ]);
    const held = (pod: string) => ({ id: `c-${pod}`, podref: `default/${pod}`, ifname: "eth0" });
    assert.deepEqual(await cluster.specs("ippools"), {
      "10.60.0.0-16": { range: "10.60.0.0/16", allocations: { "1": held("a") } },
      "fd60---64": { range: "fd60::/64", allocations: { "1": held("a") } },
      "blue-10.60.0.0-16": { range: "10.60.0.0/16", allocations: { "1": held("b") } },
      "blue-fd60---64": { range: "fd60::/64", allocations: { "1": held("b") } },
    });
    const kept = (pod: string) => ({
      containerid: `c-${pod}`,
      podref: `default/${pod}`,
      ifname: "eth0",
    });
    assert.deepEqual(await cluster.specs("overlappingrangeipreservations"), {
      "10.60.0.1": kept("a"),
      "fd60--1": kept("a"),
      "blue-10.60.0.1": kept("b"),
      "blue-fd60--1": kept("b"),
    });
    for (const pod of ["a", "b"])
      await cluster.call("DEL", pod, pod === "a" ? dual : { ...dual, network_name: "blue" });
    assert.deepEqual(await cluster.specs("overlappingrangeipreservations"), {});
    for (const { allocations } of Object.values(await cluster.specs("ippools"))) {
      assert.deepEqual(allocations, {});
    }
  });

  test("[IPAM-7] [NET-4] pools made by hand are honoured, host bits and big offsets included", async () => {
    const other = { id: "x", podref: "default/other" };
    await cluster.create("IPPool", "10.60.0.0-16", {
      range: "10.60.0.0/16",
      allocations: { "1": other, "2": other, "4": other, "no-offset": other },
    });
    await cluster.create("IPPool", "fd60---64", {
      range: "fd60::5/64",
      allocations: { "0": other, "18446744073709551610": other },
    });
    assert.deepEqual(addressesOf(await cluster.add("a", dual)), ["10.60.0.3", "fd60::6"]);
    const window = { range: "fd60::/64", range_start: "fd60::2", range_end: "fd60::7" };
    assert.deepEqual(addressesOf(await cluster.add("b", { ipRanges: [window] })), ["fd60::7"]);
    const pools = await cluster.specs("ippools");
    assert.deepEqual(Object.keys(pools["10.60.0.0-16"]?.allocations ?? {}).toSorted(), [
      "1",
      "2",
      "3",
      "4",
      "no-offset",
    ]);
    assert.deepEqual(
      new Set(Object.keys(pools["fd60---64"]?.allocations ?? {})),
      new Set(["0", "1", "2", "18446744073709551610"]),
      "counted from fd60::5, and none below it: whereabouts has no offsets for those",
    );
    assert.deepEqual(addressesOf(await cluster.add("c", { range: "fd60::/64" })), ["fd60::8"]);
  });

  test("[IPAM-10] offsets that whereabouts cannot keep are read in both spellings, and not written", async () => {
    const held = (podref: string) => ({ id: "x", podref });
    await cluster.create("IPPool", "fd60---64", {
      range: "fd60::/64",
      allocations: { "-1": held("default/minus"), "9223372036854775808": held("default/half") },
    });
    const datastore = await cluster.open();
    try {
      const reserved = await datastore.reservations();
      assert.deepEqual(
        reserved.map(({ address, owner }) => `${address.toString()} ${owner}`),
        ["fd60::8000:0:0:0 default/half", "fd60::ffff:ffff:ffff:ffff default/minus"],
      );
    } finally {
      await datastore.close();
    }
    const upper = { range: "fd60::/64", range_start: "fd60::8000:0:0:0" };
    const { json: refusal } = await cluster.try("ADD", "a", upper);
    assertError(refusal, 7);
    assert.match(
      String(refusal.msg),
      /fd60::8000:0:0:0-.* of fd60::\/64: pools in the API keep the first 2\^63 .* such as fd60::8000:0:0:0\/65/,
    );
    assert.deepEqual(addressesOf(await cluster.add("a", { range: "fd60::8000:0:0:0/65" })), [
      "fd60::8000:0:0:1",
    ]);
    const across = { range: "fd60::/64", range_start: "fd60::7fff:ffff:ffff:ffff" };
    assert.deepEqual(addressesOf(await cluster.add("b", across)), ["fd60::7fff:ffff:ffff:ffff"]);
    assertError((await cluster.try("ADD", "c", across)).json, 100);
  });

  test("[IPAM-5] [IPAM-7] an entry of an old pool that names no interface is taken over, once", async () => {
    const own = { id: "old", podref: "default/a" };
    await cluster.create("IPPool", "10.60.0.0-16", {
      range: "10.60.0.0/16",
      allocations: { "7": own, "8": own },
    });
    const range = { range: "10.60.0.0/16" };
    assert.deepEqual(addressesOf(await cluster.add("a", range)), ["10.60.0.7"]);
    assert.deepEqual(addressesOf(await cluster.add("a", range)), ["10.60.0.7"]);
    const { allocations } = (await cluster.specs("ippools"))["10.60.0.0-16"] ?? {};
    assert.deepEqual(allocations, {
      "7": { id: "c-a", podref: "default/a", ifname: "eth0" },
      "8": own,
    });
  });

  test("[IPAM-9] an address that another pool has is passed over", async () => {
    for (const last of [1, 2, 4]) {
      await cluster.create("OverlappingRangeIPReservation", `10.60.0.${last}`, {
        podref: "default/x",
      });
    }
    assert.deepEqual(addressesOf(await cluster.add("a", { range: "10.60.0.0/16" })), ["10.60.0.3"]);
    assert.deepEqual(addressesOf(await cluster.add("b", { range: "10.60.0.0/24" })), ["10.60.0.5"]);
    const pools = await cluster.specs("ippools");
    assert.deepEqual(Object.keys(pools["10.60.0.0-16"]?.allocations ?? {}), ["3"]);
    const unguarded = { range: "10.60.0.0/28", enable_overlapping_ranges: false };
    assert.deepEqual(addressesOf(await cluster.add("c", unguarded)), ["10.60.0.1"]);
  });

  test("[IPAM-5] what an ADD that was killed left behind is completed, or released", async () => {
    const own = { id: "c-a", podref: "default/a", ifname: "eth0" };
    await cluster.create("IPPool", "10.60.0.0-16", {
      range: "10.60.0.0/16",
      allocations: { "9": own },
    });
    assert.deepEqual(addressesOf(await cluster.add("a", dual)), ["10.60.0.9", "fd60::1"]);
    await cluster.call("DEL", "a", dual);
    assert.deepEqual(await cluster.specs("overlappingrangeipreservations"), {});
    await cluster.create("IPPool", "10.61.0.0-16", {
      range: "10.61.0.0/16",
      allocations: { "9": own },
    });
    await cluster.call("DEL", "a", { range: "10.61.0.0/16" });
    assert.deepEqual((await cluster.specs("ippools"))["10.61.0.0-16"]?.allocations, {});
  });

  test("[IPAM-6] no pod, no server, no kubeconfig: each is an error of its own", async () => {
    const withoutPod = {
      command: "ADD",
      network: cluster.network(dual),
      container: "c",
      netns: "/x",
    } as const;
    assertError((await callCni(systemCommands(), withoutPod)).json, 4);
    const nobody = { kubeconfig: cluster.server.kubeconfig, k8s_api_root: "https://127.0.0.1:1" };
    assertError(await failing("a", { ...dual, kubernetes: nobody }), 11);
    assertError(await failing("a", { ...dual, kubernetes: { kubeconfig: "/none" } }), 7);
  });

  async function failing(pod: string, ipam: Json): Promise<Json> {
    const { failed, json } = await cluster.try("ADD", pod, ipam);
    assert.ok(failed);
    return json;
  }
});

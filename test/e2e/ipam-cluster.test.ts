// What becomes of reservations and slices in a cluster whose pods and nodes come and go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { hasNamespace } from "../../src/node/ipam/namespaces.system.ts";
import { reconcile } from "../../src/node/ipam/reconcile.ts";
import { Suspects } from "../../src/node/ipam/suspects.ts";
import { addressesOf, callCni } from "../fixtures/ipam.ts";
import { group, IpamCluster } from "../fixtures/ipam-cluster.ts";

const dual = { ipRanges: [{ range: "10.60.0.0/16" }, { range: "fd60::/64" }] };

describe("reservations in a cluster", () => {
  let cluster: IpamCluster;
  before(async () => {
    cluster = await IpamCluster.start();
  });
  after(() => cluster?.[Symbol.asyncDispose]());
  beforeEach(() => cluster.wipe());

  test("[IPAM-10] one reconcile frees what belongs to pods that are gone, and nothing else", async () => {
    for (const pod of ["living", "gone", "done"]) await cluster.createPod(pod);
    for (const pod of ["living", "gone", "done", "never"]) await cluster.add(pod, dual);
    await cluster.deletePod("gone");
    await cluster.patchStatus("/api/v1/namespaces/default/pods/done/status", {
      phase: "Succeeded",
    });
    await cluster.create("OverlappingRangeIPReservation", "green-10.9.0.1", {
      podref: "default/gone",
    });
    await cluster.create("OverlappingRangeIPReservation", "10.9.0.2", { podref: "default/living" });
    const datastore = await cluster.open();
    const freed = await reconcile(datastore, { now: Date.now(), node: "any", hasNamespace });
    await datastore.close();
    assert.deepEqual(
      new Set(freed.map(({ owner }) => owner)),
      new Set(["default/gone", "default/done", "default/never"]),
    );
    assert.deepEqual(
      Object.keys(await cluster.specs("overlappingrangeipreservations")).toSorted(),
      ["10.60.0.1", "10.9.0.2", "fd60--1"],
    );
    for (const { allocations } of Object.values(await cluster.specs("ippools"))) {
      assert.deepEqual(Object.keys(allocations ?? {}), ["1"]);
    }
  });

  test("[IPAM-10] a living pod's stale reservation is freed at a second look, what it uses is not", async () => {
    await cluster.createPod("living");
    await cluster.createPod("starting");
    const held = (pod: string, id: string) => ({ id, podref: `default/${pod}`, ifname: "net1" });
    await cluster.create("IPPool", "10.60.0.0-16", {
      range: "10.60.0.0/16",
      allocations: {
        "1": held("living", "old"),
        "2": held("living", "new"),
        "3": held("starting", "new"),
      },
    });
    const annotations = {
      "k8s.v1.cni.cncf.io/network-status": JSON.stringify([
        { interface: "net1", ips: ["10.60.0.2"] },
      ]),
    };
    const path = "/api/v1/namespaces/default/pods";
    for (const pod of ["living", "starting"]) {
      await cluster.patch(`${path}/${pod}`, { metadata: { annotations } });
    }
    await cluster.patchStatus(`${path}/living/status`, { phase: "Running" });
    const datastore = await cluster.open();
    const suspects = new Suspects();
    const look = async (now: number) =>
      (await reconcile(datastore, { now, node: "any", hasNamespace }, suspects)).map(
        ({ address }) => address.toString(),
      );
    assert.deepEqual(await look(0), []);
    assert.deepEqual(await look(30_000), []);
    assert.deepEqual(await look(60_000), ["10.60.0.1"]);
    await datastore.close();
    const { allocations } = (await cluster.specs("ippools"))["10.60.0.0-16"] ?? {};
    assert.deepEqual(Object.keys(allocations ?? {}), ["2", "3"]);
  });

  test("[IPAM-5] GC spares what the runtime lists and what lives elsewhere in the cluster", async () => {
    await cluster.createPod("elsewhere");
    for (const pod of ["elsewhere", "listed", "left"]) await cluster.add(pod, dual);
    const valid = [{ containerID: "c-listed", ifname: "eth0" }];
    const { failed } = await callCni(systemCommands(), {
      command: "GC",
      network: {
        ...cluster.network(dual),
        cniVersion: "1.1.0",
        "cni.dev/valid-attachments": valid,
      },
    });
    assert.equal(failed, false);
    const pools = await cluster.specs("ippools");
    assert.deepEqual(
      Object.values(pools["fd60---64"]?.allocations ?? {}).map(({ podref }) => podref),
      ["default/elsewhere", "default/listed"],
    );
  });

  test("[IPAM-11] a sticky address waits in its pool, and may be used elsewhere meanwhile", async () => {
    const sticky = { range: "10.60.0.0/30", sticky_seconds: 600 };
    await cluster.add("db-0", sticky);
    await cluster.call("DEL", "db-0", sticky);
    assert.deepEqual(await cluster.specs("overlappingrangeipreservations"), {});
    assert.deepEqual(addressesOf(await cluster.add("web", sticky)), ["10.60.0.2"]);
    assert.deepEqual(addressesOf(await cluster.add("db-0", sticky)), ["10.60.0.1"]);
    await cluster.call("DEL", "db-0", sticky);
    assert.deepEqual(addressesOf(await cluster.add("late", sticky)), ["10.60.0.1"]);
  });

  test("[IPAM-10] [IPAM-11] what waits for a pod is no stale reservation of it", async () => {
    const sticky = { range: "10.60.0.0/24", sticky_seconds: 600 };
    await cluster.createPod("db-0");
    await cluster.add("db-0", sticky);
    await cluster.call("DEL", "db-0", sticky);
    const podIPs = [{ ip: "10.244.0.9" }];
    const path = "/api/v1/namespaces/default/pods/db-0/status";
    await cluster.patchStatus(path, { phase: "Running", podIP: "10.244.0.9", podIPs });
    const datastore = await cluster.open();
    const suspects = new Suspects();
    for (const now of [0, 60_000, 120_000]) {
      assert.deepEqual(
        await reconcile(datastore, { now, node: "any", hasNamespace }, suspects),
        [],
      );
    }
    await datastore.close();
    assert.deepEqual(addressesOf(await cluster.add("db-0", sticky)), ["10.60.0.1"]);
  });

  test("[IPAM-12] slices are written as whereabouts writes them, those of nodes alone", async () => {
    const sliced = { ...dual, network_name: "sliced", node_slice_size: "/27" };
    assert.deepEqual(addressesOf(await cluster.add("a", { ...sliced, node_name: "one" })), [
      "10.60.0.1",
      "fd60::1",
    ]);
    assert.deepEqual(addressesOf(await cluster.add("b", { ...sliced, node_name: "two" })), [
      "10.60.0.32",
      "fd60::20",
    ]);
    assert.deepEqual(await sliceTables(), {
      sliced: { one: "10.60.0.0/27", two: "10.60.0.32/27" },
      "sliced-fd60---64": { one: "fd60::/123", two: "fd60::20/123" },
    });
    assert.ok("sliced-two-10.60.0.32-27" in (await cluster.specs("ippools")));

    const datastore = await cluster.open();
    await cluster.createPod("b");
    await cluster.server.call("POST", "/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "three" },
    });
    assert.deepEqual(addressesOf(await cluster.add("c", { ...sliced, node_name: "three" })), [
      "10.60.0.64",
      "fd60::40",
    ]);
    assert.deepEqual(await datastore.releaseSlices(), [], "all have reservations");
    await reconcile(datastore, { now: Date.now(), node: "any", hasNamespace });
    const released = await datastore.releaseSlices();
    await datastore.close();
    assert.deepEqual(new Set(released.map(({ node }) => node)), new Set(["one"]));
    await cluster.server.call("DELETE", "/api/v1/nodes/three");
  });

  test("[IPAM-12] a table that lists every slice, free ones without a node, is honoured", async () => {
    await cluster.create("NodeSlicePool", "old", { range: "10.60.0.0/24", sliceSize: "/26" });
    const allocations = ["other", "", "", ""].map((nodeName, index) => ({
      nodeName,
      sliceRange: `10.60.0.${64 * index}/26`,
    }));
    await cluster.patchStatus(`${group}/nodeslicepools/old`, { allocations });
    const old = { range: "10.60.0.0/24", network_name: "old", node_slice_size: "/26" };
    assert.deepEqual(addressesOf(await cluster.add("a", { ...old, node_name: "mine" })), [
      "10.60.0.64",
    ]);
    assert.deepEqual((await sliceTables())["old"], {
      other: "10.60.0.0/26",
      mine: "10.60.0.64/26",
      "": "10.60.0.192/26",
    });
  });

  /** Table, node, slice. */
  async function sliceTables(): Promise<Record<string, Record<string, string>>> {
    type Status = { readonly allocations: { nodeName: string; sliceRange: string }[] };
    const { body } = await cluster.server.call("GET", `${group}/nodeslicepools`);
    return Object.fromEntries(
      (body.items ?? []).map(({ metadata, status }) => [
        metadata?.name ?? "",
        Object.fromEntries(
          (status as Status).allocations.map(({ nodeName, sliceRange }) => [nodeName, sliceRange]),
        ),
      ]),
    );
  }
});

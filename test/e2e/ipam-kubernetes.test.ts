// The kubernetes datastore on the project's API server, in the format existing pools have.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { systemCommands } from "../../src/host/command.system.ts";
import { datastoreContract } from "../../src/ipam/datastore/contract.ts";
import { openDatastore } from "../../src/ipam/datastore/open.ts";
import { reconcile } from "../../src/ipam/reconcile.ts";
import { addressesOf, assertError, type CniCall, callCni, type Json } from "../fixtures/ipam.ts";
import { TestServer } from "../fixtures/server.ts";

const group = "/apis/whereabouts.cni.cncf.io/v1alpha1/namespaces/kube-system";
const apiVersion = "whereabouts.cni.cncf.io/v1alpha1";
const dual = { ipRanges: [{ range: "10.60.0.0/16" }, { range: "fd60::/64" }] };

describe("kubernetes datastore", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server?.[Symbol.asyncDispose]());
  beforeEach(wipe);

  datastoreContract("kubernetes", async () => ({
    connect: () => openDatastore({ type: "kubernetes", kubeconfig: server.kubeconfig }),
    dispose: wipe,
  }));

  test("[IPAM-7] pools and reservations are written as whereabouts writes them", async () => {
    assert.deepEqual(addressesOf(await add("a", dual)), ["10.60.0.1", "fd60::1"]);
    assert.deepEqual(addressesOf(await add("b", { ...dual, network_name: "blue" })), [
      "10.60.0.1",
      "fd60::1",
    ]);
    const held = (pod: string) => ({ id: `c-${pod}`, podref: `default/${pod}`, ifname: "eth0" });
    assert.deepEqual(await specs("ippools"), {
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
    assert.deepEqual(await specs("overlappingrangeipreservations"), {
      "10.60.0.1": kept("a"),
      "fd60--1": kept("a"),
      "blue-10.60.0.1": kept("b"),
      "blue-fd60--1": kept("b"),
    });
    for (const pod of ["a", "b"])
      await call("DEL", pod, pod === "a" ? dual : { ...dual, network_name: "blue" });
    assert.deepEqual(await specs("overlappingrangeipreservations"), {});
    for (const { allocations } of Object.values(await specs("ippools"))) {
      assert.deepEqual(allocations, {});
    }
  });

  test("[IPAM-7] [NET-4] pools made by hand are honoured, host bits and big offsets included", async () => {
    const other = { id: "x", podref: "default/other" };
    await create("IPPool", "10.60.0.0-16", {
      range: "10.60.0.0/16",
      allocations: { "1": other, "2": other, "4": other, "no-offset": other },
    });
    await create("IPPool", "fd60---64", {
      range: "fd60::5/64",
      allocations: { "0": other, "18446744073709551610": other },
    });
    assert.deepEqual(addressesOf(await add("a", dual)), ["10.60.0.3", "fd60::1"]);
    const window = { range: "fd60::/64", range_start: "fd60::5", range_end: "fd60::6" };
    assert.deepEqual(addressesOf(await add("b", { ipRanges: [window] })), ["fd60::6"]);
    const pools = await specs("ippools");
    assert.deepEqual(Object.keys(pools["10.60.0.0-16"]?.allocations ?? {}).toSorted(), [
      "1",
      "2",
      "3",
      "4",
      "no-offset",
    ]);
    assert.deepEqual(
      new Set(Object.keys(pools["fd60---64"]?.allocations ?? {})),
      new Set(["-4", "0", "1", "18446744073709551610"]),
      "counted from fd60::5",
    );
    assert.deepEqual(addressesOf(await add("c", { range: "fd60::/64" })), ["fd60::2"]);
  });

  test("[IPAM-9] an address that another pool has is passed over", async () => {
    for (const last of [1, 2, 4]) {
      await create("OverlappingRangeIPReservation", `10.60.0.${last}`, { podref: "default/x" });
    }
    assert.deepEqual(addressesOf(await add("a", { range: "10.60.0.0/16" })), ["10.60.0.3"]);
    assert.deepEqual(addressesOf(await add("b", { range: "10.60.0.0/24" })), ["10.60.0.5"]);
    const pools = await specs("ippools");
    assert.deepEqual(Object.keys(pools["10.60.0.0-16"]?.allocations ?? {}), ["3"]);
    const unguarded = { range: "10.60.0.0/28", enable_overlapping_ranges: false };
    assert.deepEqual(addressesOf(await add("c", unguarded)), ["10.60.0.1"]);
  });

  test("[IPAM-5] what an ADD that was killed left behind is completed, or released", async () => {
    const own = { id: "c-a", podref: "default/a", ifname: "eth0" };
    await create("IPPool", "10.60.0.0-16", { range: "10.60.0.0/16", allocations: { "9": own } });
    assert.deepEqual(addressesOf(await add("a", dual)), ["10.60.0.9", "fd60::1"]);
    await call("DEL", "a", dual);
    assert.deepEqual(await specs("overlappingrangeipreservations"), {});
    await create("IPPool", "10.61.0.0-16", { range: "10.61.0.0/16", allocations: { "9": own } });
    await call("DEL", "a", { range: "10.61.0.0/16" });
    assert.deepEqual((await specs("ippools"))["10.61.0.0-16"]?.allocations, {});
  });

  test("[IPAM-10] one reconcile frees what belongs to pods that are gone, and nothing else", async () => {
    for (const pod of ["living", "gone", "done"]) await createPod(pod);
    for (const pod of ["living", "gone", "done", "never"]) await add(pod, dual);
    await server.call("DELETE", "/api/v1/namespaces/default/pods/gone?gracePeriodSeconds=0");
    await server.send("PATCH", "/api/v1/namespaces/default/pods/done/status", {
      type: "application/merge-patch+json",
      body: JSON.stringify({ status: { phase: "Succeeded" } }),
    });
    await create("OverlappingRangeIPReservation", "green-10.9.0.1", { podref: "default/gone" });
    await create("OverlappingRangeIPReservation", "10.9.0.2", { podref: "default/living" });
    const datastore = await openDatastore({ type: "kubernetes", kubeconfig: server.kubeconfig });
    const freed = await reconcile(datastore, { now: Date.now(), node: "any" });
    await datastore.close();
    assert.deepEqual(
      new Set(freed.map(({ owner }) => owner)),
      new Set(["default/gone", "default/done", "default/never"]),
    );
    assert.deepEqual(Object.keys(await specs("overlappingrangeipreservations")).toSorted(), [
      "10.60.0.1",
      "10.9.0.2",
      "fd60--1",
    ]);
    for (const { allocations } of Object.values(await specs("ippools"))) {
      assert.deepEqual(Object.keys(allocations ?? {}), ["1"]);
    }
  });

  test("[IPAM-5] GC spares what the runtime lists and what lives elsewhere in the cluster", async () => {
    await createPod("elsewhere");
    for (const pod of ["elsewhere", "listed", "left"]) await add(pod, dual);
    const valid = [{ containerID: "c-listed", ifname: "eth0" }];
    const { failed } = await callCni(systemCommands(), {
      command: "GC",
      network: { ...network(dual), cniVersion: "1.1.0", "cni.dev/valid-attachments": valid },
    });
    assert.equal(failed, false);
    const pools = await specs("ippools");
    assert.deepEqual(
      Object.values(pools["fd60---64"]?.allocations ?? {}).map(({ podref }) => podref),
      ["default/elsewhere", "default/listed"],
    );
  });

  test("[IPAM-11] a sticky address waits in its pool, and may be used elsewhere meanwhile", async () => {
    const sticky = { range: "10.60.0.0/30", sticky_seconds: 600 };
    await add("db-0", sticky);
    await call("DEL", "db-0", sticky);
    assert.deepEqual(await specs("overlappingrangeipreservations"), {});
    assert.deepEqual(addressesOf(await add("web", sticky)), ["10.60.0.2"]);
    assert.deepEqual(addressesOf(await add("db-0", sticky)), ["10.60.0.1"]);
    await call("DEL", "db-0", sticky);
    assert.deepEqual(addressesOf(await add("late", sticky)), ["10.60.0.1"]);
  });

  test("[IPAM-12] slices are written as whereabouts writes them, those of nodes alone", async () => {
    const sliced = { ...dual, network_name: "sliced", node_slice_size: "/27" };
    assert.deepEqual(addressesOf(await add("a", { ...sliced, node_name: "one" })), [
      "10.60.0.1",
      "fd60::1",
    ]);
    assert.deepEqual(addressesOf(await add("b", { ...sliced, node_name: "two" })), [
      "10.60.0.32",
      "fd60::20",
    ]);
    assert.deepEqual(await sliceTables(), {
      sliced: { one: "10.60.0.0/27", two: "10.60.0.32/27" },
      "sliced-fd60---64": { one: "fd60::/123", two: "fd60::20/123" },
    });
    assert.ok("sliced-two-10.60.0.32-27" in (await specs("ippools")));

    const datastore = await openDatastore({ type: "kubernetes", kubeconfig: server.kubeconfig });
    await createPod("b");
    await server.call("POST", "/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "three" },
    });
    assert.deepEqual(addressesOf(await add("c", { ...sliced, node_name: "three" })), [
      "10.60.0.64",
      "fd60::40",
    ]);
    assert.deepEqual(await datastore.releaseSlices(), [], "all have reservations");
    await reconcile(datastore, { now: Date.now(), node: "any" });
    const released = await datastore.releaseSlices();
    await datastore.close();
    assert.deepEqual(new Set(released.map(({ node }) => node)), new Set(["one"]));
    await server.call("DELETE", "/api/v1/nodes/three");
  });

  test("[IPAM-12] a table that lists every slice, free ones without a node, is honoured", async () => {
    const { code, text } = await server.call("POST", `${group}/nodeslicepools`, {
      apiVersion,
      kind: "NodeSlicePool",
      metadata: { name: "old" },
      spec: { range: "10.60.0.0/24", sliceSize: "/26" },
    });
    assert.equal(code, 201, text);
    const allocations = ["other", "", "", ""].map((nodeName, index) => ({
      nodeName,
      sliceRange: `10.60.0.${64 * index}/26`,
    }));
    await server.send("PATCH", `${group}/nodeslicepools/old/status`, {
      type: "application/merge-patch+json",
      body: JSON.stringify({ status: { allocations } }),
    });
    const old = { range: "10.60.0.0/24", network_name: "old", node_slice_size: "/26" };
    assert.deepEqual(addressesOf(await add("a", { ...old, node_name: "mine" })), ["10.60.0.64"]);
    assert.deepEqual((await sliceTables())["old"], {
      other: "10.60.0.0/26",
      mine: "10.60.0.64/26",
      "": "10.60.0.192/26",
    });
  });

  test("[IPAM-6] no pod, no server, no kubeconfig: each is an error of its own", async () => {
    const withoutPod = {
      command: "ADD",
      network: network(dual),
      container: "c",
      netns: "/x",
    } as const;
    assertError((await callCni(systemCommands(), withoutPod)).json, 4);
    const nobody = { kubeconfig: server.kubeconfig, k8s_api_root: "https://127.0.0.1:1" };
    assertError(await failing("a", { ...dual, kubernetes: nobody }), 11);
    assertError(await failing("a", { ...dual, kubernetes: { kubeconfig: "/none" } }), 7);
  });

  function network(ipam: Json): Json {
    const settings = { type: "whereabouts", kubernetes: { kubeconfig: server.kubeconfig } };
    return { cniVersion: "1.0.0", name: "net", type: "bridge", ipam: { ...settings, ...ipam } };
  }

  async function answer(command: CniCall["command"], pod: string, ipam: Json) {
    const attachment = { container: `c-${pod}`, netns: "/proc/self/ns/net", pod };
    return callCni(systemCommands(), { command, network: network(ipam), ...attachment });
  }

  async function call(command: CniCall["command"], pod: string, ipam: Json): Promise<Json> {
    const { failed, json } = await answer(command, pod, ipam);
    assert.ok(!failed, JSON.stringify(json));
    return json;
  }

  function add(pod: string, ipam: Json): Promise<Json> {
    return call("ADD", pod, ipam);
  }

  async function failing(pod: string, ipam: Json): Promise<Json> {
    const { failed, json } = await answer("ADD", pod, ipam);
    assert.ok(failed);
    return json;
  }

  async function create(kind: string, name: string, spec: Json): Promise<void> {
    const plural = `${kind.toLowerCase()}s`;
    const { code, text } = await server.call("POST", `${group}/${plural}`, {
      apiVersion,
      kind,
      metadata: { name },
      spec,
    });
    assert.equal(code, 201, text);
  }

  async function createPod(name: string): Promise<void> {
    const { code, text } = await server.call("POST", "/api/v1/namespaces/default/pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{ name: "c", image: "none" }] },
    });
    assert.equal(code, 201, text);
  }

  type Spec = { readonly allocations?: Readonly<Record<string, { readonly podref: string }>> };

  async function specs(plural: string): Promise<Record<string, Spec>> {
    const { body } = await server.call("GET", `${group}/${plural}`);
    return Object.fromEntries(
      (body.items ?? []).map(({ metadata, spec }) => [metadata?.name ?? "", spec as Spec]),
    );
  }

  /** Table, node, slice. */
  async function sliceTables(): Promise<Record<string, Record<string, string>>> {
    type Status = { readonly allocations: { nodeName: string; sliceRange: string }[] };
    const { body } = await server.call("GET", `${group}/nodeslicepools`);
    return Object.fromEntries(
      (body.items ?? []).map(({ metadata, status }) => [
        metadata?.name ?? "",
        Object.fromEntries(
          (status as Status).allocations.map(({ nodeName, sliceRange }) => [nodeName, sliceRange]),
        ),
      ]),
    );
  }

  async function wipe(): Promise<void> {
    for (const plural of ["ippools", "overlappingrangeipreservations", "nodeslicepools"]) {
      await server.call("DELETE", `${group}/${plural}`);
    }
    const { body } = await server.call("GET", "/api/v1/namespaces/default/pods");
    for (const { metadata } of body.items ?? []) {
      const pod = `/api/v1/namespaces/default/pods/${metadata?.name}`;
      await server.call("DELETE", `${pod}?gracePeriodSeconds=0`);
    }
  }
});

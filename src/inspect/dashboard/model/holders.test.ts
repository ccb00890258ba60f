import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf } from "../../../api/client/objects.ts";
import { Address } from "../../../base/net/address.ts";
import { families } from "../../../base/net/family.ts";
import { anyPlan, clusterOf, withIpam } from "../testing/clusters.ts";
import { rangesOf, sizeText } from "./addresses.ts";
import { addressesOfPod } from "./cluster.ts";
import { filterHolders, holdersOf } from "./holders.ts";
import { whatIs } from "./what-is.ts";

const plan = {
  nodes: 1,
  pods: [{ node: 0, isReady: true }],
  services: [{ pods: [0], type: "LoadBalancer" as const }],
};
const web = withIpam(clusterOf(plan));
const lines = (search: string): readonly string[] =>
  filterHolders(holdersOf(web), search).map(({ holder, as, addresses }) =>
    [holder, as, ...families.flatMap((family) => addresses[family])].join(" "),
  );

test("every address of every pod is in the row of that pod, both families in one", () => {
  fc.assert(
    fc.property(anyPlan, (any) => {
      const cluster = clusterOf(any);
      const rows = holdersOf(cluster);
      for (const pod of cluster.pods) {
        const row = rows.find(({ as, holder }) => as === "pod" && holder === keyOf(pod));
        const held = families.flatMap((family) => row?.addresses[family] ?? []);
        assert.deepEqual(held, addressesOfPod(pod).map(String));
      }
    }),
  );
});

test("nodes, pods, services and holders in pools of IPAM are found by name and by address", () => {
  assert.deepEqual(lines("shop/pod-0"), [
    "shop/pod-0 pod 10.100.0.2 fd00:100::2",
    "shop/pod-0 IPAM, blue, net1 10.60.0.1 fd60::1",
  ]);
  assert.deepEqual(lines("FD60:0::1"), ["shop/pod-0 IPAM, blue, net1 10.60.0.1 fd60::1"]);
  assert.deepEqual(lines("load bal"), ["shop/service-0 load balancer 10.200.0.1 fd00:200::1"]);
  assert.deepEqual(lines("slice"), ["node-0 slice of IPAM, shared 10.70.0.0/26"]);
  assert.deepEqual(lines("kept"), ["shop/gone IPAM, blue, net1, kept 10.60.0.7"]);
  assert.deepEqual(lines("10.60.0"), [
    "shop/gone IPAM, blue, net1, kept 10.60.0.7",
    "shop/pod-0 IPAM, blue, net1 10.60.0.1 fd60::1",
  ]);
  assert.deepEqual(lines("10.60.0.2"), [], "an address is meant as a whole");
});

test("pools of IPAM say how much of them is used, those of one network beside each other", () => {
  const ranges = rangesOf(web).filter(({ kind }) => kind === "IPAM" || kind === "slices");
  assert.deepEqual(
    ranges.map(({ kind, owner, text, used, size }) => [kind, owner, text, used, sizeText(size)]),
    [
      ["IPAM", "blue", "10.60.0.0/16", 2, "65534"],
      ["IPAM", "blue", "fd60::/64", 1, "≈2^64"],
      ["slices", "shared", "10.70.0.0/24", 1, "4"],
    ],
  );
});

test("an address of a pool of IPAM is that of its holder, or free", () => {
  const texts = (text: string) => whatIs(Address.parse(text), web).map((found) => found.text);
  assert.deepEqual(texts("fd60::1"), [
    "is held by pod shop/pod-0, interface net1, in IPAM pool kube-system/blue-fd60---64",
    "is in fd60::/64, the IPAM pool of blue",
  ]);
  assert.match(texts("10.60.0.7")[0] ?? "", /^is kept until 2030-\S+ for pod shop\/gone, /);
  assert.deepEqual(texts("10.60.0.9"), [
    "is free, as far as can be read, and in 10.60.0.0/16, the IPAM pool of blue",
  ]);
  assert.deepEqual(texts("10.70.0.5"), [
    "is in 10.70.0.0/26, the slice of node node-0 in shared",
    "is free, as far as can be read, and in 10.70.0.0/24, which is shared out among nodes by shared",
  ]);
  const [found] = whatIs(Address.parse("10.60.0.1"), web);
  assert.deepEqual(found?.object, { kind: "Pod", namespace: "shop", name: "pod-0" });
});

test("sizes are whole numbers, then powers of two", () => {
  assert.equal(sizeText(254n), "254");
  assert.equal(sizeText(1n << 64n), "2^64");
  assert.equal(sizeText((1n << 24n) - 2n), "≈2^24");
});

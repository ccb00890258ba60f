import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf } from "../../../api/client/objects.ts";
import { Address } from "../../../base/net/address.ts";
import { families } from "../../../base/net/family.ts";
import { anyAddress } from "../../../base/net/testing/arbitraries.ts";
import { anyPlan, clusterOf } from "../testing/clusters.ts";
import { rangesOf, shareOf } from "./addresses.ts";
import { addressesOfPod, noObjects } from "./cluster.ts";
import { whatIs } from "./what-is.ts";

const texts = (address: string, cluster = web) =>
  whatIs(Address.parse(address), cluster).map(({ text }) => text);
const web = clusterOf({
  nodes: 1,
  pods: [{ node: 0, isReady: true }],
  services: [{ pods: [0], type: "LoadBalancer" }],
});

test("every address of every pod is found as that pod's, in the range of its node", () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const cluster = clusterOf(plan);
      for (const pod of cluster.pods) {
        for (const address of addressesOfPod(pod)) {
          const [holder, range] = whatIs(address, cluster);
          assert.equal(holder?.object?.name, pod.metadata.name);
          assert.match(holder?.text ?? "", new RegExp(`pod ${keyOf(pod)} on node `));
          assert.match(range?.text ?? "", /^is in .*, the pod range of node /);
        }
      }
    }),
  );
});

test("any address gets an answer", () => {
  fc.assert(
    fc.property(anyAddress(), (address) => {
      assert.ok(whatIs(address, web).length > 0);
    }),
  );
});

const answers: [address: string, said: string][] = [
  ["10.1.0.1", "is an address of node node-0"],
  ["fd00:100::2", "is the address of pod shop/pod-0 on node node-0"],
  ["10.96.0.10", "is a cluster IP of service shop/service-0"],
  ["fd00:200::1", "is the load balancer's address of service shop/service-0"],
  [
    "10.100.0.77",
    "is free, as far as can be read, and in 10.100.0.0/24, the pod range of node node-0",
  ],
  ["::1", "is a loopback address: each machine and pod has its own"],
  ["192.0.2.1", "is nothing of this cluster that you may read"],
];
for (const [address, said] of answers) {
  test(`${address} ${said}`, () => {
    assert.equal(texts(address)[0], said);
  });
}

test("a pod that has ended holds its address no more", () => {
  const pods = web.pods.map((pod) => ({
    ...pod,
    status: { ...pod.status, phase: "Succeeded" as const },
  }));
  assert.match(texts("10.100.0.2", { ...web, pods })[0] ?? "", /^is free/);
});

test("the use of ranges is counted in each family, an address that two pods share once", () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const cluster = clusterOf(plan);
      for (const family of families) {
        const ranges = rangesOf({ ...cluster, pods: [...cluster.pods, ...cluster.pods] });
        const nodes = ranges.filter((range) => range.family === family && range.kind === "node");
        assert.equal(
          nodes.reduce((sum, { used = 0 }) => sum + used, 0),
          plan.pods.length,
        );
      }
    }),
  );
});

test("use is unknown where its holders cannot be read, and a pool's ranges are read in both spellings", () => {
  const pool = {
    apiVersion: "tandem.internal/v1",
    kind: "AddressPool",
    metadata: { name: "lan" },
    spec: { addresses: ["10.200.0.0-10.200.0.9", "fd00:200::/120", "nonsense"] },
  };
  const ranges = rangesOf({ ...web, pools: [pool] }).filter(({ kind }) => kind === "pool");
  assert.deepEqual(
    ranges.map(({ size, used }) => [size, used]),
    [
      [10n, 1],
      [256n, 1],
    ],
  );
  assert.equal(shareOf(ranges[0] ?? assert.fail()), 0.1);
  const blind = rangesOf({ ...noObjects, nodes: web.nodes, unread: new Set(["pods"]) });
  assert.deepEqual(
    blind.map(({ used }) => used),
    [undefined, undefined],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { slimIpPool, slimNodeSlicePool } from "./slim-ipam.ts";

const head = {
  apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
  kind: "IPPool",
  metadata: { namespace: "kube-system", name: "blue-fd60---64" },
};

test("a pool becomes addresses and their holders, without the ids of containers", () => {
  const allocations = {
    "1": { id: "0123abcd", podref: "shop/left", ifname: "net1" },
    "7": { id: "kept-until/2030-01-01T00:00:00.000Z", podref: "shop/gone", ifname: "net1" },
    "99": { id: "", podref: "", ifname: 5 },
  };
  const { spec } = slimIpPool({ ...head, spec: { range: "fd60::/64", allocations } });
  assert.deepEqual(spec, {
    range: "fd60::/64",
    network: "blue",
    size: ((1n << 64n) - 1n).toString(),
    held: [
      { address: "fd60::1", owner: "shop/left", ifname: "net1" },
      {
        address: "fd60::7",
        owner: "shop/gone",
        ifname: "net1",
        keptUntil: "2030-01-01T00:00:00.000Z",
      },
      { address: "fd60::63", owner: "", ifname: "" },
    ],
  });
});

test("ranges of one network that are shared out among nodes are known by the network", () => {
  const status = {
    allocations: [
      { nodeName: "node-1", sliceRange: "fd60::/124" },
      { nodeName: "", sliceRange: "fd60::10/124" },
    ],
  };
  const spec = { range: "fd60::/64", sliceSize: "/124" };
  assert.deepEqual(slimNodeSlicePool({ ...head, spec, status }), {
    spec: { ...spec, network: "blue" },
    status: { allocations: status.allocations.slice(0, 1) },
  });
  const first = { ...head, metadata: { namespace: "kube-system", name: "blue" }, spec };
  assert.equal(slimNodeSlicePool(first).spec.network, "blue");
});

const nonsense: readonly object[] = [
  {},
  { spec: {} },
  { spec: { range: "everywhere" } },
  { spec: { range: "10.0.0.0/8", allocations: null } },
  { spec: { range: "10.0.0.0/8", allocations: { x: 5, "1": null, "2": "a", "3": { id: 1 } } } },
];
for (const written of nonsense) {
  test(`nobody holds anything in a pool with ${JSON.stringify(written)}`, () => {
    assert.deepEqual(slimIpPool({ ...head, ...written }).spec.held, []);
    assert.deepEqual(slimNodeSlicePool({ ...head, ...written }).status.allocations, []);
  });
}

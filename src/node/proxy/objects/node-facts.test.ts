import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { isEligible, nodeFacts, sameFacts } from "./node-facts.ts";

const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "z1" } },
  spec: {},
  status: {
    addresses: [
      { type: "Hostname", address: "n1" },
      { type: "ExternalIP", address: "198.51.100.1" },
      { type: "InternalIP", address: "192.168.0.1" },
      { type: "InternalIP", address: "fd00:192::1" },
    ],
  },
};

const addresses = (own: readonly string[], object: Node | undefined = node): readonly string[] =>
  nodeFacts("n1", { node: object, own: own.map(Address.parse) }).addresses.map(String);

test("[PROXY-3] a node is known by what it is told, then by what its object says", () => {
  assert.deepEqual(addresses([]), ["192.168.0.1", "fd00:192::1", "198.51.100.1"]);
  assert.deepEqual(addresses(["10.0.0.1"])[0], "10.0.0.1");
  assert.deepEqual(addresses(["0.0.0.0", "::"])[0], "192.168.0.1", "to be found out");
  assert.deepEqual(nodeFacts("n1", { node: undefined, own: [] }).addresses, []);
});

test("facts are the same when nothing that matters has changed", () => {
  const facts = nodeFacts("n1", { node, own: [] });
  const beaten = { ...node, metadata: { ...node.metadata, resourceVersion: "2" } };
  assert(sameFacts(facts, nodeFacts("n1", { node: beaten, own: [] })));
  const moved = { ...node, metadata: { name: "n1" } };
  assert(!sameFacts(facts, nodeFacts("n1", { node: moved, own: [] })));
});

test("a node on its way out is no choice for load balancers", () => {
  assert(isEligible(node));
  assert(isEligible(undefined), "a node that is not known yet may be a good one");
  const taints = [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" as const }];
  assert(!isEligible({ ...node, spec: { taints } }));
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  assert(!isEligible({ ...node, metadata: { ...node.metadata, deletionTimestamp } }));
});

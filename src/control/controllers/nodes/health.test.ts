import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, NodeCondition, Taint } from "../../../api/types/core.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { mergeAddresses } from "./addresses-controller.ts";
import { evictionTime } from "./eviction.ts";
import { Heartbeats } from "./heartbeats.ts";
import { routeChanges, routesTo } from "./routes.ts";
import { changedTaints } from "./wanted-taints.ts";

function nodeOf(conditions: readonly NodeCondition[], spec: Node["spec"] = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", uid: "u1" },
    spec,
    status: { conditions: [...conditions] },
  };
}

function leaseOf(renewTime: string) {
  const metadata = { namespace: "kube-node-lease", name: "n1" };
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { renewTime },
  } as const;
}

test("a node is heard by what it writes itself, whatever time it thinks it is", () => {
  let time = 0;
  const heartbeats = new Heartbeats({ monotonic: () => time });
  const ready = nodeOf([
    { type: "Ready", status: "True", lastHeartbeatTime: "2001-01-01T00:00:00Z" },
  ]);
  heartbeats.observe(ready, leaseOf("1"));
  time = 10;
  heartbeats.observe(ready, leaseOf("1"));
  assert.equal(heartbeats.silence("n1"), 10);
  assert.ok(heartbeats.areAllSilent(10));
  heartbeats.observe(ready, leaseOf("2"));
  assert.equal(heartbeats.silence("n1"), 0);
  time = 30;
  const unknown = nodeOf([
    { type: "Ready", status: "Unknown", lastHeartbeatTime: "2030-01-01T00:00:00Z" },
  ]);
  heartbeats.observe(unknown, leaseOf("2"));
  assert.equal(heartbeats.silence("n1"), 20, "what we wrote ourselves is no sign of life");
});

const now = Date.parse("2026-01-01T00:00:00Z");
const keysOf = (taints: readonly Taint[] | undefined) =>
  taints?.map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`);

test("conditions become taints, and other taints stay", () => {
  const unreachable = nodeOf([{ type: "Ready", status: "Unknown" }], {
    taints: [{ key: "team", value: "blue", effect: "NoSchedule" as const }],
  });
  const taints = changedTaints(unreachable, { now, mayEvict: true });
  assert.deepEqual(keysOf(taints), [
    "team:NoSchedule",
    "unreachable:NoSchedule",
    "unreachable:NoExecute",
  ]);
  assert.equal(taints?.[2]?.timeAdded, "2026-01-01T00:00:00Z");
  const tainted = nodeOf([{ type: "Ready", status: "Unknown" }], { taints: taints ?? [] });
  assert.equal(changedTaints(tainted, { now: now + 5000, mayEvict: true }), undefined);
  const well = nodeOf([{ type: "Ready", status: "True" }], {
    ...tainted.spec,
    unschedulable: true,
  });
  assert.deepEqual(keysOf(changedTaints(well, { now, mayEvict: true })), [
    "team:NoSchedule",
    "unschedulable:NoSchedule",
  ]);
});

test("when all nodes are silent none drives its pods away, and none stops doing so", () => {
  const silent = nodeOf([{ type: "Ready", status: "Unknown" }]);
  assert.deepEqual(keysOf(changedTaints(silent, { now, mayEvict: false })), [
    "unreachable:NoSchedule",
  ]);
  const taints = changedTaints(silent, { now, mayEvict: true }) ?? [];
  const driving = nodeOf([{ type: "Ready", status: "Unknown" }], { taints });
  assert.equal(changedTaints(driving, { now, mayEvict: false }), undefined);
});

test("a pod goes when it no longer bears with one of the taints", () => {
  const taints = ["a", "b"].map((key) => ({ key, effect: "NoExecute" as const }));
  const at = (...tolerations: { key: string; tolerationSeconds?: number }[]) =>
    evictionTime(
      taints,
      tolerations.map((each) => ({ ...each, operator: "Exists" as const })),
      ({ key }) => (key === "a" ? 1000 : 50_000),
    );
  assert.equal(at(), 1000);
  assert.equal(at({ key: "a" }), 50_000);
  assert.equal(at({ key: "a" }, { key: "b" }), undefined);
  assert.equal(at({ key: "a", tolerationSeconds: 300 }, { key: "b" }), 301_000);
  assert.equal(
    at({ key: "a", tolerationSeconds: 300 }, { key: "b", tolerationSeconds: 1 }),
    51_000,
  );
  assert.equal(
    at({ key: "a", tolerationSeconds: 300 }, { key: "a", tolerationSeconds: 9 }),
    10_000,
  );
});

const dual: Node = {
  ...nodeOf([]),
  spec: { podCIDRs: ["10.20.1.0/24", "fd00:10:20:1::/64"] },
  status: {
    addresses: [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "InternalIP", address: "2001:db8::1" },
      { type: "Hostname", address: "n1" },
    ],
  },
};

test("[NODE-6] a provider's routes lead to each CIDR by an address of its family", () => {
  const routes = routesTo([dual]);
  assert.deepEqual(
    routes.map(({ destination, gateways }) => `${destination} ${gateways.join()}`),
    ["10.20.1.0/24 192.0.2.1", "fd00:10:20:1::/64 2001:db8::1"],
  );
  const present = [
    ...routes.slice(0, 1),
    { node: "gone", destination: Prefix.parse("10.20.9.0/24"), gateways: [] },
    { node: "theirs", destination: Prefix.parse("198.51.100.0/24"), gateways: [] },
  ];
  const changes = routeChanges(routes, present, [Prefix.parse("10.20.0.0/16")]);
  assert.deepEqual(changes.add, routes.slice(1));
  assert.deepEqual(
    changes.remove.map(({ node }) => node),
    ["gone"],
  );
});

test("[NODE-6] addresses of both families come from the provider, the others stay", () => {
  const given = [
    { type: "InternalIP", address: "192.0.2.9" },
    { type: "InternalIP", address: "2001:db8::9" },
  ];
  assert.deepEqual(mergeAddresses(dual, given), [...given, { type: "Hostname", address: "n1" }]);
});

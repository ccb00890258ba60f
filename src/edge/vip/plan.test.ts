import assert from "node:assert/strict";
import { test } from "node:test";
import type { VipNode } from "./cluster.ts";
import { type LocalNode, planNode } from "./plan.ts";
import { checkWeight } from "./priority.ts";
import { bothFamilies, clusterOf, nodeOf, nodesOf, withOnly } from "./testing/vip.ts";

const local = (name: string, more: Partial<LocalNode> = {}): LocalNode => ({
  name,
  linkOf: () => "eth0",
  holds: [],
  grouped: [],
  ...more,
});
const plan = (nodes: readonly VipNode[], name = "master-0", cluster = bothFamilies) =>
  planNode(cluster, nodes, local(name));

test("[VIP-3] one instance per VIP and family, with peers of that family, in one group per use", () => {
  const [api, ingress] = plan(nodesOf(3), "master-1");
  assert.deepEqual(api, {
    use: "api",
    name: "ostest_API",
    isGrouped: true,
    instances: [
      {
        name: "ostest_API_0",
        vip: bothFamilies.vips.api[0],
        link: "eth0",
        routerId: 14,
        priority: 119,
        source: nodeOf(1).addresses[0],
        peers: [nodeOf(0).addresses[0], nodeOf(2).addresses[0]],
      },
      {
        name: "ostest_API_1",
        vip: bothFamilies.vips.api[1],
        link: "eth0",
        routerId: 14,
        priority: 119,
        source: nodeOf(1).addresses[1],
        peers: [nodeOf(0).addresses[1], nodeOf(2).addresses[1]],
      },
    ],
  });
  assert.equal(ingress?.isGrouped, true);
  assert.deepEqual(
    ingress?.instances.map(({ routerId }) => routerId),
    [93, 93],
  );
});

test("[VIP-3] a node that lacks a family runs the other one's instance alone", () => {
  const nodes = [nodeOf(0), nodeOf(1), withOnly("IPv4", nodeOf(2))];
  const [lacking] = plan(nodes, "master-2");
  assert.equal(lacking?.isGrouped, false);
  assert.deepEqual(
    lacking?.instances.map(({ vip }) => vip.family),
    ["IPv4"],
  );
  const [whole] = plan(nodes, "master-0");
  assert.equal(whole?.isGrouped, true);
  assert.deepEqual(
    whole?.instances.map(({ peers }) => peers.length),
    [2, 1],
  );
});

test("[VIP-3] who can serve a pair wins, then who can serve a half, then the older one", () => {
  const nodes = [withOnly("IPv6", nodeOf(0)), nodeOf(1), nodeOf(2), withOnly("IPv6", nodeOf(3))];
  const order = nodes
    .flatMap(({ name }) => {
      const priority = plan(nodes, name)[0]?.instances.at(-1)?.priority ?? 0;
      return [
        { who: `${name} well`, priority: priority + checkWeight },
        { who: `${name} ill`, priority },
      ];
    })
    .toSorted((a, b) => b.priority - a.priority);
  assert.deepEqual(
    order.map(({ who }) => who),
    [
      "master-1 well",
      "master-2 well",
      "master-0 well",
      "master-3 well",
      "master-1 ill",
      "master-2 ill",
      "master-0 ill",
      "master-3 ill",
    ],
  );
  assert.ok(order.every(({ priority }) => priority >= 1 && priority <= 254));
});

test("[VIP-3] a new node does not change the priorities of those before it", () => {
  const priorities = (count: number) =>
    nodesOf(3).map(({ name }) => plan(nodesOf(count), name)[0]?.instances[0]?.priority);
  assert.deepEqual(priorities(5), priorities(3));
  const last = plan(nodesOf(100), "master-99")[0]?.instances[0]?.priority;
  assert.equal(last, 61);
});

test("[VIP-5, VIP-8] no group before every node knows of both VIPs", () => {
  const behind = nodeOf(2, { takesPart: bothFamilies.vips.api.slice(0, 1) });
  const [api] = plan([nodeOf(0), nodeOf(1), behind]);
  assert.equal(api?.isGrouped, false);
  assert.equal(api?.instances.length, 2);
  const lacking = withOnly("IPv4", behind);
  assert.equal(plan([nodeOf(0), nodeOf(1), lacking])[0]?.isGrouped, true);
});

test("[VIP-5] no group while the node holds a part of a pair", () => {
  const [first, second] = bothFamilies.vips.api;
  assert.ok(first !== undefined && second !== undefined);
  const groupedWith = (more: Partial<LocalNode>) =>
    planNode(bothFamilies, nodesOf(3), local("master-0", more))[0]?.isGrouped;
  assert.equal(groupedWith({ holds: [] }), true);
  assert.equal(groupedWith({ holds: [first] }), false);
  assert.equal(groupedWith({ holds: [first, second] }), true);
  assert.equal(groupedWith({ holds: [first], grouped: ["api"] }), true, "a group is kept");
});

test("[VIP-3] API and ingress may differ in families and in nodes", () => {
  const cluster = clusterOf({ api: ["IPv6"], ingress: ["IPv6", "IPv4"] });
  const nodes = [nodeOf(0, { runsIngress: false }), nodeOf(1, { isControlPlane: false })];
  assert.deepEqual(
    plan(nodes, "master-0", cluster).map(({ use, instances }) => [use, instances.length]),
    [["api", 1]],
  );
  assert.deepEqual(
    plan(nodes, "master-1", cluster).map(({ use, instances }) => [use, instances.length]),
    [["ingress", 2]],
  );
});

test("[VIP-3] a node that is not among the nodes runs nothing", () => {
  assert.deepEqual(plan(nodesOf(3), "stranger"), []);
});

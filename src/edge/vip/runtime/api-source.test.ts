import assert from "node:assert/strict";
import { test } from "node:test";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import type { Node, Pod } from "../../../api/types/core.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { Address } from "../../../base/net/address.ts";
import { createLog } from "../../../base/program/log.ts";
import { vipStatus } from "../status.ts";
import { bothFamilies } from "../testing/vip.ts";
import { ApiSource } from "./api-source.ts";
import { clusterView, type Infrastructure, infrastructures } from "./cluster-view.ts";
import { decodeReport, encodeReport, reportAnnotation } from "./report.ts";

const infrastructure: Infrastructure = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  status: {
    infrastructureName: "ostest",
    platformStatus: {
      type: "BareMetal",
      baremetal: {
        apiServerInternalIPs: bothFamilies.vips.api.map(String),
        ingressIPs: bothFamilies.vips.ingress.map(String),
      },
    },
  },
};

function node(name: string, addresses: readonly string[], metadata: object = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
    spec: {},
    status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
  };
}

const master = { labels: { "node-role.kubernetes.io/control-plane": "" } };

test("[VIP-4] nodes are read in order of age, with one address a family and no VIP among them", () => {
  const { cluster, nodes } = clusterView({
    infrastructure,
    nodes: [
      node("b", ["192.168.111.21", "192.168.111.99", "fd00:111::21"], master),
      node("a", ["192.168.111.5", "fd00:111::20", "192.168.111.20"], master),
      node("old", ["192.168.111.30"], {
        creationTimestamp: "2025-01-01T00:00:00Z",
        labels: { "tandem.internal/ingress": "" },
      }),
    ],
    ingressPods: [ingressPod("b", "True"), ingressPod("a", "False")],
  });
  assert.deepEqual(cluster, bothFamilies);
  assert.deepEqual(
    nodes.map((one) => [one.name, one.addresses.join(), one.isControlPlane, one.runsIngress]),
    [
      ["old", "192.168.111.30", false, true],
      ["a", "fd00:111::20,192.168.111.20", true, false],
      ["b", "192.168.111.21,fd00:111::21", true, true],
    ],
  );
});

const own = [
  node("a", ["192.168.111.20", "fd00:111::20"], master),
  node("b", ["192.168.111.21", "fd00:111::21", "192.168.111.5"], master),
];
const path = "status.platformStatus.baremetal";

const writes: readonly {
  name: string;
  status: object;
  problem: string;
}[] = [
  {
    name: "another first VIP",
    status: { apiServerInternalIPs: ["192.168.111.9", "fd00:111::5"] },
    problem: `${path}.apiServerInternalIPs: first VIP cannot be modified, have '192.168.111.5' and requested '192.168.111.9'`,
  },
  {
    name: "no addresses",
    status: { apiServerInternalIPs: ["foo", "bar"] },
    problem: `${path}.apiServerInternalIPs: 'foo' is not an address`,
  },
  {
    name: "nothing",
    status: { apiServerInternalIPs: [] },
    problem: `${path}.apiServerInternalIPs: first VIP cannot be modified, have '192.168.111.5' and requested ''`,
  },
  {
    name: "two of a family",
    status: { apiServerInternalIPs: ["192.168.111.5", "192.168.111.6"] },
    problem: `${path}.apiServerInternalIPs: VIP '192.168.111.6' is not the first of its family`,
  },
  {
    name: "a node's own address",
    status: { apiServerInternalIPs: ["192.168.111.5", "fd00:111::20"] },
    problem: `${path}.apiServerInternalIPs: VIP 'fd00:111::20' is the address of node a`,
  },
  {
    name: "a VIP of the other use",
    status: { apiServerInternalIPs: ["192.168.111.5", "fd00:111::4"] },
    problem: `${path}.apiServerInternalIPs: VIPs cannot be equal, got 'fd00:111::4' for API and Ingress`,
  },
  {
    name: "somebody else's load balancer",
    status: { loadBalancer: { type: "UserManaged" } },
    problem: `${path}.apiServerInternalIPs: first VIP cannot be modified, have '192.168.111.5' and requested ''`,
  },
];

const onlyAddresses = writes.filter(({ name }) => name !== "somebody else's load balancer");

for (const { name, status, problem } of writes) {
  test(`[VIP-10] a node keeps the VIPs in force when the status has ${name}`, () => {
    const known = { cluster: bothFamilies, isInForce: true };
    const view = clusterView({
      infrastructure: withStatus(status),
      nodes: own,
      ingressPods: [],
      known,
    });
    assert.deepEqual(view.cluster, bothFamilies);
    assert.equal(view.problems?.[0], problem);
    const { cluster } = clusterView({
      infrastructure: withStatus(status),
      nodes: own,
      ingressPods: [],
      known: { cluster: { ...bothFamilies, name: "other" }, isInForce: false },
    });
    assert.equal(cluster.name, "ostest", "what another cluster had before counts for nothing");
  });
}

test("[VIP-10] a node that has nothing in force takes what is right of a status", () => {
  const taken = onlyAddresses.map(({ status }) =>
    clusterView({
      infrastructure: withStatus(status),
      nodes: own,
      ingressPods: [],
    }).cluster.vips.api.join(),
  );
  assert.deepEqual(taken, [
    "192.168.111.9,fd00:111::5",
    "",
    "",
    "192.168.111.5",
    "192.168.111.5",
    "192.168.111.5",
  ]);
});

test("[VIP-10] the name that router ids come from stays, also when the status has lost it", () => {
  const known = { cluster: bothFamilies, isInForce: true };
  const objects = { nodes: own, ingressPods: [], known };
  const renamed = {
    ...infrastructure,
    status: { ...infrastructure.status, infrastructureName: "x" },
  };
  const view = clusterView({ ...objects, infrastructure: renamed });
  assert.deepEqual(view.cluster, bothFamilies);
  assert.match(view.problems?.[0] ?? "", /have 'ostest' and requested 'x'/);
  const { infrastructureName: _, ...status } = infrastructure.status ?? {};
  const lost = clusterView({ ...objects, infrastructure: { ...infrastructure, status } });
  assert.deepEqual([lost.cluster, lost.problems], [bothFamilies, undefined]);
});

test("[VIP-5] the second VIP comes, changes and goes past the check of a node", () => {
  const known = { cluster: bothFamilies, isInForce: true };
  for (const list of [["192.168.111.5"], ["192.168.111.5", "fd00:111::77"]]) {
    const { cluster, problems } = clusterView({
      infrastructure: withStatus({ apiServerInternalIPs: list }),
      nodes: own,
      ingressPods: [],
      known,
    });
    assert.deepEqual([cluster.vips.api.map(String), problems], [list, undefined]);
  }
});

function withStatus(change: object): Infrastructure {
  const baremetal = {
    apiServerInternalIPs: bothFamilies.vips.api.map(String),
    ingressIPs: bothFamilies.vips.ingress.map(String),
    ...change,
  };
  const platformStatus = { type: "BareMetal", baremetal };
  return { ...infrastructure, status: { infrastructureName: "ostest", platformStatus } };
}

function ingressPod(nodeName: string, ready: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `ingress-${nodeName}`, namespace: "ingress", labels: { app: "ingress" } },
    spec: { nodeName, containers: [] },
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}

test("[VIP-4] the API is read as a whole or not at all, and told what the node does", async () => {
  const api = new FakeApi();
  const settings = {
    clock: new FakeClock(),
    random: new FakeRandom(),
    log: createLog({ write: () => undefined, format: "json" }),
  };
  const informers = new Informers(settings);
  const ingressSelector = "app=ingress";
  const source = new ApiSource({ client: api.client, informers, node: "a", ingressSelector });
  await assert.rejects(source.read(), /Cannot tell the nodes: not read yet/);

  await api.client.resource("v1", "Node").create(node("a", ["192.168.111.20"], master));
  let changes = 0;
  const leave = source.subscribe(() => changes++);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await informers.synced();
  await assert.rejects(source.read(), /no Infrastructure object named cluster/);
  await api.client.custom<Infrastructure>(infrastructures).create(infrastructure);
  await settings.clock.advance(1);
  const before = changes;
  const takesPart = bothFamilies.vips.api;
  await source.publish({ takesPart, holds: [], failing: [] }, stop.signal);
  await settings.clock.advance(1);
  assert.ok(changes > before, "the change comes back");
  assert.deepEqual((await source.read()).nodes[0]?.takesPart, takesPart);
  leave();
  stop.abort();
  await running;
});

const since = new Date("2026-01-01T00:00:00.000Z");
const [api4 = Address.parse("::")] = bothFamilies.vips.api;

test("[VIP-4] a report survives its annotation, and nonsense counts as not said", () => {
  const report = { takesPart: [api4], holds: [{ vip: api4, since }], failing: ["ingress"] };
  assert.deepEqual(decodeReport(encodeReport(report)), report);
  const nothing = { takesPart: [], holds: [], failing: [] };
  for (const text of [undefined, "", "7", "{", "null", '{"holds":[{"vip":1},null,{"vip":"x"}]}']) {
    assert.deepEqual(decodeReport(text), nothing);
  }
});

test("[VIP-4] the status tells who holds a VIP, since when, and whose check fails", () => {
  const annotated = (report: Parameters<typeof encodeReport>[0]) => ({
    ...master,
    annotations: { [reportAnnotation]: encodeReport(report) },
  });
  const takesPart = bothFamilies.vips.api;
  const claim = { takesPart, holds: [{ vip: api4, since }], failing: [] };
  const lost = node("lost", ["192.168.111.23"], annotated(claim));
  lost.status = { ...lost.status, conditions: [{ type: "Ready", status: "Unknown" }] };
  const nodes = [
    node("a", ["192.168.111.20"], annotated(claim)),
    node("b", ["192.168.111.21"], annotated({ takesPart, holds: [], failing: ["api"] })),
    node("c", ["192.168.111.22"]),
    lost,
  ];
  const [first, second] = vipStatus(clusterView({ infrastructure, nodes, ingressPods: [] }), nodes);
  assert.deepEqual(first, {
    vip: "192.168.111.5",
    use: "api",
    holders: [{ node: "a", since }],
    candidates: ["a", "b"],
    failing: ["b"],
    problems: [],
  });
  assert.deepEqual(second?.holders, []);
});

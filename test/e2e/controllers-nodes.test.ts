import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/api/client/client.ts";
import { isNotFound } from "../../src/api/client/errors.ts";
import type { Node, NodeSpec } from "../../src/api/types/core.ts";
import { nodeParts } from "../../src/base/net/node-cidr-sizes.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import type { ControllerContext } from "../../src/control/controllers/context.ts";
import { endpointsControllers } from "../../src/control/controllers/endpoints/controllers.ts";
import { BuiltInProvider } from "../../src/control/controllers/nodes/built-in-provider.ts";
import { nodeControllers } from "../../src/control/controllers/nodes/controllers.ts";
import { startControlled, until } from "../fixtures/controllers.ts";

const beatMs = 50;

function ipam(cidrs: readonly string[], name = "node-ipam") {
  const clusterCidrs = cidrs.map(Prefix.parse);
  const parts = nodeParts(clusterCidrs);
  return nodeControllers({
    clusterCidrs,
    openProvider: (context) => new BuiltInProvider(context, { parts }),
  })
    .filter((entry) => entry.name === "node-ipam")
    .map((entry) => ({ ...entry, name }));
}

async function createNode(client: Client, name: string, spec: NodeSpec = {}): Promise<Node> {
  return await client.resource("v1", "Node").create({ metadata: { name }, spec });
}

async function listNodes(client: Client): Promise<readonly Node[]> {
  return (await client.resource("v1", "Node").list()).items;
}

const hasCidrs = ({ spec }: Node) => (spec.podCIDRs ?? []).length > 0;

function assertNoneShared(nodes: readonly Node[]): void {
  const prefixes = nodes.flatMap(({ spec }) => (spec.podCIDRs ?? []).map(Prefix.parse));
  for (const [index, one] of prefixes.entries()) {
    for (const other of prefixes.slice(index + 1)) {
      assert.ok(!one.overlaps(other), `${one} and ${other} overlap`);
    }
  }
}

test("[NODE-1] every node gets one pod CIDR of each family, the cluster's first family first", async () => {
  await using server = await startControlled(ipam(["fd00:10:20::/72", "10.20.0.0/16"]));
  const { client } = server;
  for (const name of ["a", "b"]) await createNode(client, name);
  const nodes = await until(
    () => listNodes(client),
    (found) => found.every(hasCidrs),
  );
  assert.deepEqual(
    nodes.map(({ spec }) => [spec.podCIDR, ...(spec.podCIDRs ?? [])].join(" ")).toSorted(),
    [
      "fd00:10:20::/88 fd00:10:20::/88 10.20.0.0/24",
      "fd00:10:20::100:0:0/88 fd00:10:20::100:0:0/88 10.20.1.0/24",
    ],
  );
});

test("[NODE-1] [NODE-2] two leaders at once, nodes that come and go: no CIDR twice, none lost", async () => {
  const two = [...ipam(["10.20.0.0/18"], "one"), ...ipam(["10.20.0.0/18"], "two")];
  await using server = await startControlled(two);
  const { client } = server;
  const nodes = client.resource("v1", "Node");
  const name = (n: number) => `n${n}`;
  const all = Array.from({ length: 40 }, (_, n) => n);
  await Promise.all(all.map((n) => createNode(client, name(n))));
  await Promise.all(all.slice(0, 20).map((n) => nodes.delete({ name: name(n) })));
  await server.restart(two);
  await Promise.all(all.slice(0, 20).map((n) => createNode(client, name(n + 100))));
  const before = await until(
    () => listNodes(client),
    (found) => found.every(hasCidrs),
  );
  assert.equal(before.length, 40);
  assertNoneShared(before);
  // 64 are there in all: the rest can be had only if none was lost.
  await Promise.all(all.slice(0, 24).map((n) => createNode(client, name(n + 200))));
  const full = await until(
    () => listNodes(client),
    (found) => found.every(hasCidrs),
  );
  assertNoneShared(full);
  for (const { metadata, spec } of before) {
    const now = full.find((node) => node.metadata.name === metadata.name);
    assert.deepEqual(now?.spec.podCIDRs, spec.podCIDRs, "for life");
  }
});

test("[NODE-1] when none is left there is an event and a condition, until a node goes", async () => {
  await using server = await startControlled(ipam(["10.20.0.0/23", "fd00:10:20::/48"]));
  const { client } = server;
  for (const name of ["a", "b"]) await createNode(client, name);
  const nodes = client.resource("v1", "Node");
  const taken = await until(
    () => listNodes(client),
    (found) => found.every(hasCidrs),
  );
  await createNode(client, "c");
  const conditionOf = async () =>
    (await nodes.get({ name: "c" })).status?.conditions?.find(
      ({ type }) => type === "NetworkUnavailable",
    );
  const condition = await until(conditionOf, (found) => found?.status === "True");
  assert.match(condition?.message ?? "", /10\.20\.0\.0\/23: all 2 \/24 are taken/);
  await until(
    async () => (await client.resource("v1", "Event").list()).items,
    (events) => events.some(({ reason }) => reason === "CIDRNotAvailable"),
  );
  await nodes.delete({ name: "a" });
  const served = await until(() => nodes.get({ name: "c" }), hasCidrs);
  const freed = taken.find(({ metadata }) => metadata.name === "a");
  assert.equal(served.spec.podCIDR, freed?.spec.podCIDR);
  await until(conditionOf, (found) => found?.status === "False");
});

test("[NODE-2] CIDRs that a node has from elsewhere are left alone and given to nobody else", async () => {
  await using server = await startControlled([]);
  const { client } = server;
  await createNode(client, "own", { podCIDRs: ["10.20.0.0/25"], podCIDR: "10.20.0.0/25" });
  await createNode(client, "other");
  await server.restart(ipam(["10.20.0.0/16"]));
  const nodes = await until(
    () => listNodes(client),
    (found) => found.every(hasCidrs),
  );
  assert.deepEqual(
    nodes.map(({ metadata, spec }) => `${metadata.name} ${spec.podCIDR}`).toSorted(),
    ["other 10.20.1.0/24", "own 10.20.0.0/25"],
  );
});

test("a node that falls silent is tainted, its pods leave the services and then the node", async () => {
  let beats = 0;
  // Time passes by the beats of the node that is well: a machine that stands still makes nobody silent.
  const monotonic = () => beats * beatMs;
  const lifecycle = nodeControllers({ clusterCidrs: [], graceMs: 20 * beatMs }).map((entry) => ({
    ...entry,
    create: (context: ControllerContext) =>
      entry.create({ ...context, clock: { ...context.clock, monotonic } }),
  }));
  await using server = await startControlled([...lifecycle, ...endpointsControllers]);
  const { client } = server;
  const nodes = client.resource("v1", "Node");
  const pods = client.resource("v1", "Pod");
  const leases = client.resource("coordination.k8s.io/v1", "Lease");
  const place = { namespace: "kube-node-lease", name: "well" };
  await leases.create({ metadata: place, spec: { holderIdentity: "well" } });
  const stop = new AbortController();
  const beating = (async () => {
    for (; !stop.signal.aborted; beats++) {
      const renewTime = new Date(beats * 1000).toISOString().replace("Z", "000Z");
      await leases.patch(place, { merge: { spec: { renewTime } } });
      await sleep(beatMs);
    }
  })();
  try {
    const conditions = [{ type: "Ready", status: "True" }];
    for (const name of ["well", "silent"]) {
      await createNode(client, name);
      await nodes.patchStatus({ name }, { merge: { status: { conditions } } });
    }
    await client.resource("v1", "Service").create({
      metadata: { namespace: "default", name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    });
    const podOn = async (node: string, ip: string) => {
      const key = "node.kubernetes.io/unreachable";
      const toleration = {
        key,
        operator: "Exists" as const,
        effect: "NoExecute" as const,
        tolerationSeconds: 2,
      };
      await pods.create({
        metadata: { namespace: "default", name: node, labels: { app: "web" } },
        spec: {
          nodeName: node,
          tolerations: [toleration],
          containers: [{ name: "c", image: "i" }],
        },
      });
      const status = { phase: "Running" as const, podIPs: [{ ip }], conditions };
      await pods.patchStatus({ namespace: "default", name: node }, { merge: { status } });
    };
    await podOn("well", "10.0.0.1");
    await podOn("silent", "10.0.0.2");
    const ready = async () => {
      try {
        const endpoints = client.resource("v1", "Endpoints");
        const { subsets = [] } = await endpoints.get({ namespace: "default", name: "web" });
        return subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)).join();
      } catch (error) {
        if (isNotFound(error)) return "";
        throw error;
      }
    };
    const silent = await until(
      () => nodes.get({ name: "silent" }),
      ({ spec }) => (spec.taints ?? []).some(({ effect }) => effect === "NoExecute"),
    );
    assert.equal(
      silent.status?.conditions?.find(({ type }) => type === "Ready")?.status,
      "Unknown",
    );
    await until(ready, (ips) => ips === "10.0.0.1");
    await until(
      () => pods.get({ namespace: "default", name: "silent" }),
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    const well = await nodes.get({ name: "well" });
    assert.deepEqual(well.spec.taints ?? [], []);
    await nodes.delete({ name: "silent" });
    await until(
      async () =>
        (await pods.list({ namespace: "default" })).items.map(({ metadata }) => metadata.name),
      (names) => names.join() === "well",
    );
  } finally {
    stop.abort();
    await beating;
  }
});

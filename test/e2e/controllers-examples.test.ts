import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Inventory, runInventoryProvider } from "../../examples/inventory-provider.ts";
import { runServiceController } from "../../examples/service-controller.ts";
import type { Client } from "../../src/api/client/client.ts";
import { podsOfServiceController } from "../../src/api/client/field-selectors.ts";
import { serviceKeyOf } from "../../src/api/kinds/discovery/slice-service.ts";
import type { PodIP } from "../../src/api/types/core.ts";
import { endpointsControllers } from "../../src/control/controllers/endpoints/controllers.ts";
import { startControlled, until } from "../fixtures/controllers.ts";

const namespace = "default";
const mine = "fast-path.example.com";
const property = "service.kubernetes.io/service-controller-name";
const builtIn = "endpointslice-controller.k8s.io";
const furtherFamily = "endpointslice-controller.tandem.internal";

/** Who says what about the service: manager, family and addresses. */
async function said(client: Client, service: string): Promise<string[]> {
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const { items } = await slices.list({ namespace });
  return items
    .filter((slice) => serviceKeyOf(slice) === `${namespace}/${service}`)
    .map(({ metadata, addressType, endpoints = [] }) => {
      const manager = metadata.labels?.["endpointslice.kubernetes.io/managed-by"];
      const listed = endpoints.flatMap(({ addresses }) => addresses).toSorted();
      return `${manager} ${addressType} ${listed.join()}`;
    })
    .toSorted();
}

async function report(client: Client, name: string, podIPs: PodIP[]): Promise<void> {
  const conditions = [{ type: "Ready", status: "True" }];
  const merge = { status: { phase: "Running" as const, podIPs, conditions } };
  await client.resource("v1", "Pod").patchStatus({ namespace, name }, { merge });
}

test("[PROP-2] [PROP-3] [PROP-5] two service controllers share a cluster, each with its own addresses", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client } = server;
  const stop = new AbortController();
  const running = runServiceController(mine, server.connect(mine), stop.signal);
  try {
    await client.resource("v1", "Service").create({
      metadata: { namespace, name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    for (const name of ["both", "plain"]) {
      await client.resource("v1", "Pod").create({
        metadata: { namespace, name, labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "echo" }] },
      });
    }
    const claimed = (ip: string, by = mine) => ({ ip, properties: { [property]: by } });
    await report(client, "plain", [{ ip: "10.0.0.2" }]);
    await report(client, "both", [
      { ip: "10.0.0.1" },
      claimed("10.9.0.1"),
      claimed("fd00:9::1"),
      claimed("10.8.0.1", "somebody-else"),
    ]);
    const { items } = await client
      .resource("v1", "Pod")
      .list({ namespace, ...podsOfServiceController(mine) });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ["both"],
      "one watch finds what is ours",
    );
    const settled = (...expected: string[]) =>
      until(
        () => said(client, "web"),
        (found) => found.join("\n") === expected.join("\n"),
      );
    await settled(
      `${builtIn} IPv4 10.0.0.1,10.0.0.2`,
      `${mine} IPv4 10.9.0.1`,
      `${mine} IPv6 fd00:9::1`,
    );
    const merge = { metadata: { labels: { app: "other" } } };
    await client.resource("v1", "Pod").patch({ namespace, name: "both" }, { merge });
    await settled(`${builtIn} IPv4 10.0.0.2`);
    await client
      .resource("v1", "Pod")
      .patch({ namespace, name: "both" }, { merge: { metadata: { labels: { app: "web" } } } });
    // Given back, an address is the built-in controllers' again.
    await report(client, "both", [{ ip: "10.0.0.1" }, { ip: "fd00:9::1", properties: {} }]);
    await settled(`${builtIn} IPv4 10.0.0.1,10.0.0.2`, `${furtherFamily} IPv6 fd00:9::1`);
    // Another controller writes these, in its own time.
    await until(
      () => client.resource("v1", "Endpoints").get({ namespace, name: "web" }),
      ({ subsets = [] }) =>
        subsets
          .flatMap(({ addresses = [] }) => addresses.map(({ ips }) => ips?.join()))
          .join(" ") === "10.0.0.1,fd00:9::1 10.0.0.2",
    );
  } finally {
    stop.abort();
    await running;
  }
});

test("[NODE-6] another provider gives nodes their addresses, CIDRs and routes, of both families", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-inventory-"));
  const file = join(directory, "inventory.json");
  const inventory: Inventory = {
    clusterCidrs: ["10.20.0.0/16", "fd00:10:20::/56"],
    machines: {
      rack1: {
        addresses: ["192.0.2.1", "2001:db8::1"],
        podCidrs: ["fd00:10:20:1::/64", "10.20.1.0/24"],
      },
    },
    routes: [{ node: "gone", destination: "10.20.7.0/24", gateways: ["192.0.2.7"] }],
  };
  await writeFile(file, JSON.stringify(inventory));
  await using server = await startControlled([]);
  const { client } = server;
  const stop = new AbortController();
  const running = runInventoryProvider(file, server.connect("inventory"), stop.signal);
  try {
    const nodes = client.resource("v1", "Node");
    const taints = [
      { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" as const },
    ];
    await nodes.create({ metadata: { name: "rack1" }, spec: { taints } });
    await nodes.create({ metadata: { name: "stranger" }, spec: {} });
    const node = await until(
      () => nodes.get({ name: "rack1" }),
      ({ status }) => status?.conditions?.some(({ reason }) => reason === "RouteCreated") === true,
    );
    assert.deepEqual(node.spec.podCIDRs, ["fd00:10:20:1::/64", "10.20.1.0/24"]);
    assert.deepEqual(
      node.status?.addresses?.map(({ address }) => address),
      ["192.0.2.1", "2001:db8::1"],
    );
    const { routes } = JSON.parse(await readFile(file, "utf8")) as Inventory;
    assert.deepEqual(
      routes.map(({ destination, gateways }) => `${destination} ${gateways.join()}`),
      ["fd00:10:20:1::/64 2001:db8::1", "10.20.1.0/24 192.0.2.1"],
    );
    await until(
      () => nodes.get({ name: "rack1" }),
      ({ spec }) => (spec.taints ?? []).length === 0,
    );
    const stranger = await until(
      () => nodes.get({ name: "stranger" }),
      ({ status }) => (status?.conditions ?? []).length > 0,
    );
    assert.match(stranger.status?.conditions?.[0]?.message ?? "", /not in the inventory/);
  } finally {
    stop.abort();
    await running;
    await rm(directory, { recursive: true });
  }
});

// Addresses of load balancers, on a real API server.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "../../src/api/client/client.ts";
import type { Service, ServiceSpec } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { loadBalancerControllers } from "../../src/edge/balancer/controller.ts";
import { type AddressPool, addressPools } from "../../src/edge/balancer/pool.ts";
import { startControlled, until } from "../fixtures/controllers.ts";
import { TestServer } from "../fixtures/server.ts";

const namespace = "default";

async function createPool(client: Client, name: string, addresses: string[]): Promise<void> {
  const pools = client.custom<AddressPool>(addressPools);
  await pools.create({ metadata: { name }, spec: { addresses } });
}

async function create(client: Client, name: string, spec: ServiceSpec = {}): Promise<Service> {
  return await client.resource("v1", "Service").create({
    metadata: { namespace, name },
    spec: { type: "LoadBalancer" as const, ports: [{ port: 80 }], ...spec },
  });
}

const read = (client: Client, name: string) =>
  client.resource("v1", "Service").get({ namespace, name });

function addressesOf({ status }: Service): string[] {
  return (status?.loadBalancer?.ingress ?? []).map(({ ip, ipMode }) => `${ip} ${ipMode}`);
}

async function settled(client: Client, name: string, addresses: readonly string[]): Promise<void> {
  const wanted = addresses.map((address) => `${address} VIP`);
  await until(
    async () => addressesOf(await read(client, name)),
    (found) => found.join() === wanted.join(),
  );
}

test("[ING-2] services get an address of each family they want, and keep it", async () => {
  await using server = await startControlled(loadBalancerControllers);
  const { client } = server;
  await createPool(client, "lan", ["192.0.2.10-192.0.2.12", "2001:db8::10-2001:db8::12"]);
  await create(client, "both", { ipFamilyPolicy: "RequireDualStack" as const });
  await create(client, "four", { ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[] });
  await create(client, "six", { endpointFamily: "ipv6" });
  await settled(client, "both", ["192.0.2.10", "2001:db8::10"]);
  await settled(client, "four", ["192.0.2.11"]);
  await settled(client, "six", ["2001:db8::11"]);

  await client.resource("v1", "Service").delete({ namespace, name: "both" });
  await server.restart(loadBalancerControllers);
  await create(client, "later", { ipFamilyPolicy: "RequireDualStack" as const });
  await settled(client, "later", ["192.0.2.10", "2001:db8::10"]);
  await settled(client, "four", ["192.0.2.11"]);
  const pool = await until(
    () => client.custom<AddressPool>(addressPools).get({ name: "lan" }),
    ({ status }) => status?.families?.every(({ used }) => used === 2) === true,
  );
  assert.deepEqual(pool.status?.families, [
    { family: "IPv4", total: "3", used: 2 },
    { family: "IPv6", total: "3", used: 2 },
  ]);

  const merge = { spec: { type: "ClusterIP" as const, allocateLoadBalancerNodePorts: null } };
  await client.resource("v1", "Service").patch({ namespace, name: "four" }, { merge });
  await settled(client, "four", []);
});

test("[ING-2] what cannot be assigned is told of, and assigned as soon as it can be", async () => {
  await using server = await startControlled(loadBalancerControllers);
  const { client } = server;
  await create(client, "web", {
    ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[],
    loadBalancerIP: "192.0.2.20",
  });
  await create(client, "cloud", { loadBalancerClass: "example.org/cloud" });
  const { status } = await until(
    () => read(client, "web"),
    (service) => (service.status?.conditions ?? []).length > 0,
  );
  assert.deepEqual(
    status?.conditions?.map(({ type, status: state, reason }) => [type, state, reason]),
    [["tandem.internal/AddressesAssigned", "False", "NotInPool"]],
  );
  const events = client.resource("v1", "Event");
  const { items } = await until(
    () => events.list({ namespace, fieldSelector: "involvedObject.name=web" }),
    (list) => list.items.length > 0,
  );
  assert.equal(
    items[0]?.message,
    "Cannot assign 192.0.2.20: no pool that the service may use has it",
  );
  await createPool(client, "lan", ["192.0.2.20/32"]);
  await settled(client, "web", ["192.0.2.20"]);
  const after = await read(client, "web");
  assert.equal(after.status?.conditions?.[0]?.status, "True");
  assert.deepEqual(addressesOf(await read(client, "cloud")), []);
});

test("a load balancer may do without node ports", async () => {
  await using server = await startControlled(loadBalancerControllers);
  const { spec } = await create(server.client, "web", { allocateLoadBalancerNodePorts: false });
  assert.deepEqual(
    spec.ports?.map(({ nodePort }) => nodePort ?? 0),
    [0],
  );
});

test("`tandem balancer assign` does the same for a server without these controllers", async () => {
  await using server = await TestServer.start({ arguments: ["--controllers="] });
  const program = join(import.meta.dirname, "../../bin/tandem");
  const running = await systemCommands().start(
    [program, "balancer", "assign", `--kubeconfig=${server.kubeconfig}`, "--health-address="],
    { diesWithParent: true },
  );
  try {
    const spec = { addresses: ["192.0.2.30/32"] };
    const pool = await server.call("POST", "/apis/tandem.internal/v1/addresspools", {
      apiVersion: "tandem.internal/v1",
      kind: "AddressPool",
      metadata: { name: "lan" },
      spec,
    });
    assert.equal(pool.code, 201, pool.text);
    const services = `/api/v1/namespaces/${namespace}/services`;
    const web = {
      type: "LoadBalancer" as const,
      ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[],
      ports: [{ port: 80 }],
    };
    await server.call("POST", services, { metadata: { name: "web" }, spec: web });
    await until(
      async () => (await server.call("GET", `${services}/web`)).text,
      (text) => text.includes('"ip":"192.0.2.30"'),
    );
  } finally {
    await running.stop();
  }
});

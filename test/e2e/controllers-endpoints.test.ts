import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/api/client/client.ts";
import { isNotFound } from "../../src/api/client/errors.ts";
import { serviceKeyOf } from "../../src/api/kinds/discovery/slice-service.ts";
import type { Endpoints, Pod, PodIP, Service, ServiceSpec } from "../../src/api/types/core.ts";
import type { EndpointSlice } from "../../src/api/types/discovery.ts";
import { endpointsControllers } from "../../src/control/controllers/endpoints/controllers.ts";
import { startControlled, until } from "../fixtures/controllers.ts";

const namespace = "default";

async function createService(client: Client, name: string, spec: ServiceSpec): Promise<Service> {
  return await client.resource("v1", "Service").create({
    metadata: { namespace, name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });
}

/** A pod as its node reports it. */
async function createPod(client: Client, app: string, podIPs: PodIP[]): Promise<Pod> {
  const pods = client.resource("v1", "Pod");
  const { metadata } = await pods.create({
    metadata: { namespace, generateName: `${app}-`, labels: { app } },
    spec: { nodeName: "n1", containers: [{ name: "main", image: "echo" }] },
  });
  return await report(client, metadata.name, podIPs);
}

async function report(client: Client, name: string, podIPs: PodIP[], ready = true): Promise<Pod> {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  return await client
    .resource("v1", "Pod")
    .patchStatus(
      { namespace, name },
      { merge: { status: { phase: "Running", podIPs, conditions } } },
    );
}

async function endpointsOf(client: Client, name: string): Promise<Endpoints | undefined> {
  try {
    return await client.resource("v1", "Endpoints").get({ namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Every address entry, as its addresses joined. */
function pairsOf(endpoints: Endpoints | undefined): string[] {
  return (endpoints?.subsets ?? [])
    .flatMap(({ addresses = [] }) => addresses.map(({ ips = [] }) => ips.join()))
    .toSorted();
}

/** The slices of a service under either label. */
async function slicesOf(client: Client, name: string): Promise<EndpointSlice[]> {
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const { items } = await slices.list({ namespace });
  return items.filter((slice) => serviceKeyOf(slice) === `${namespace}/${name}`);
}

/** Manager and family of the slices that a selector finds. */
async function foundBy(client: Client, labelSelector: string): Promise<string[]> {
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const { items } = await slices.list({ namespace, labelSelector });
  return items
    .map(({ metadata, addressType }) => {
      const manager = metadata.labels?.["endpointslice.kubernetes.io/managed-by"];
      return `${manager} ${addressType}`;
    })
    .toSorted();
}

/** By family, the ready addresses. */
function addressesOf(slices: readonly EndpointSlice[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { addressType, endpoints = [] } of slices) {
    const ready = endpoints.filter(({ conditions }) => conditions?.ready === true);
    found[addressType] = [
      ...(found[addressType] ?? []),
      ...ready.flatMap(({ addresses }) => addresses),
    ].toSorted();
  }
  return found;
}

async function settled(client: Client, name: string, pairs: readonly string[]): Promise<void> {
  await until(
    async () => pairsOf(await endpointsOf(client, name)),
    (found) => found.join(" ") === pairs.join(" "),
  );
  const families = ["IPv4", "IPv6"].map((family) =>
    pairs
      .flatMap((pair) => pair.split(","))
      .filter((ip) => ip.includes(":") === (family === "IPv6"))
      .toSorted()
      .join(),
  );
  await until(
    async () => addressesOf(await slicesOf(client, name)),
    (found) => ["IPv4", "IPv6"].every((each, n) => (found[each] ?? []).join() === families[n]),
  );
}

test("[EP-1] [EP-2] [EP-3] pairs in Endpoints, addresses of each family in slices", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client } = server;
  await createService(client, "web", { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] });
  const a = await createPod(client, "web", [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]);
  await createPod(client, "web", [{ ip: "10.0.0.2" }]);
  await settled(client, "web", ["10.0.0.2", "fd00::1,10.0.0.1"]);
  for (const { metadata } of await slicesOf(client, "web")) {
    assert.equal(
      metadata.labels?.["endpointslice.kubernetes.io/managed-by"],
      "endpointslice-controller.k8s.io",
    );
    assert.equal(metadata.ownerReferences?.[0]?.kind, "Service");
  }
  await report(client, a.metadata.name, [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], false);
  await settled(client, "web", ["10.0.0.2"]);
  await client.resource("v1", "Service").delete({ namespace, name: "web" });
  await until(
    async () => [await endpointsOf(client, "web"), ...(await slicesOf(client, "web"))],
    (found) => found.length === 1 && found[0] === undefined,
  );
});

test("[SVC-2] [PROP-2] a family that is not wanted and an address that is claimed are nowhere", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client } = server;
  await createService(client, "old", { endpointFamily: "ipv4" });
  await createService(client, "both", { selector: { app: "old" } });
  const property = "service.kubernetes.io/service-controller-name";
  await createPod(client, "old", [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]);
  await createPod(client, "old", [
    { ip: "10.0.0.2", properties: { [property]: "mine" } },
    { ip: "fd00::2" },
  ]);
  await settled(client, "old", ["10.0.0.1"]);
  await settled(client, "both", ["10.0.0.1,fd00::1", "fd00::2"]);
  assert.deepEqual(
    (await slicesOf(client, "old")).map(({ addressType }) => addressType),
    ["IPv4"],
  );
  const services = client.resource("v1", "Service");
  const merge = { spec: { endpointFamily: "ipv6" as const } };
  await services.patch({ namespace, name: "old" }, { merge });
  await settled(client, "old", ["fd00::1", "fd00::2"]);
  assert.deepEqual(
    (await slicesOf(client, "old")).map(({ addressType }) => addressType),
    ["IPv6"],
  );
});

test("[EP-3] under the usual label are slices of ipFamilies only; what endpointFamily adds is under ours", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client } = server;
  const services = client.resource("v1", "Service");
  const usual = "endpointslice-controller.k8s.io";
  const further = "endpointslice-controller.tandem.internal";
  const splitIs = async (name: string, standard: string[], ours: string[]) => {
    const read = async () => ({
      standard: await foundBy(client, `kubernetes.io/service-name=${name}`),
      ours: await foundBy(client, `tandem.internal/service-name=${name}`),
    });
    await until(read, (found) => JSON.stringify(found) === JSON.stringify({ standard, ours }));
  };
  await createService(client, "one", {});
  await createPod(client, "one", [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]);
  await settled(client, "one", ["10.0.0.1,fd00::1"]);
  await splitIs("one", [`${usual} IPv4`], [`${further} IPv6`]);
  // A family that becomes the service's own moves to the usual label, and back.
  const both = { ipFamilyPolicy: "RequireDualStack" as const };
  await services.patch({ namespace, name: "one" }, { merge: { spec: both } });
  await splitIs("one", [`${usual} IPv4`, `${usual} IPv6`], []);
  await services.patch(
    { namespace, name: "one" },
    { merge: { spec: { ipFamilyPolicy: "SingleStack", endpointFamily: "dual-stack" } } },
  );
  await splitIs("one", [`${usual} IPv4`], [`${further} IPv6`]);
  // Nothing is left for other clients when the cluster IP's own family is not allowed.
  await services.patch({ namespace, name: "one" }, { merge: { spec: { endpointFamily: "ipv6" } } });
  await splitIs("one", [], [`${further} IPv6`]);
  await services.delete({ namespace, name: "one" });
  await splitIs("one", [], []);
});

test("[EP-6] one pod of many changes: one slice of each family and the Endpoints are written", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client, asked } = server;
  await createService(client, "big", {});
  const numbers = Array.from({ length: 230 }, (_, n) => n + 1);
  const addresses = (n: number) => [{ ip: `10.0.0.${n}` }, { ip: `fd00::${n.toString(16)}` }];
  const pods = await Promise.all(numbers.map((n) => createPod(client, "big", addresses(n))));
  const pairs = numbers.map((n) => `10.0.0.${n},fd00::${n.toString(16)}`).toSorted();
  await settled(client, "big", pairs);
  assert.equal((await slicesOf(client, "big")).length, 6);
  asked.length = 0;
  const [victim] = pods;
  await report(client, victim?.metadata.name ?? "", addresses(1), false);
  await settled(
    client,
    "big",
    pairs.filter((pair) => pair !== "10.0.0.1,fd00::1"),
  );
  const writes = asked.filter((each) => !each.startsWith("GET")).toSorted();
  assert.deepEqual(
    writes.map((each) => each.replace(/-\d+$/, "")),
    [
      "PUT /api/v1/namespaces/default/endpoints/big",
      "PUT /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/big-ipv4",
      "PUT /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/big-ipv6",
    ],
  );
});

test("[EP-3] hand-written Endpoints of a service without a selector are mirrored, pairs included", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client } = server;
  await createService(client, "hand", { selector: {} });
  const endpoints = client.resource("v1", "Endpoints");
  const written = await endpoints.create({
    metadata: { namespace, name: "hand", labels: { team: "blue" } },
    subsets: [
      {
        addresses: [{ ip: "fd00::7", ips: ["fd00::7", "10.0.0.7"] }],
        notReadyAddresses: [{ ip: "10.0.0.8" }],
        ports: [{ port: 80 }],
      },
    ],
  });
  const slices = await until(
    () => slicesOf(client, "hand"),
    (found) => found.length === 2,
  );
  assert.deepEqual(addressesOf(slices), { IPv4: ["10.0.0.7"], IPv6: ["fd00::7"] });
  assert.ok(slices.every(({ metadata }) => metadata.labels?.["team"] === "blue"));
  const labels = { ...written.metadata.labels, "endpointslice.kubernetes.io/skip-mirror": "true" };
  await endpoints.update({ ...written, metadata: { ...written.metadata, labels } });
  await until(
    () => slicesOf(client, "hand"),
    (found) => found.length === 0,
  );
  assert.deepEqual(pairsOf(await endpointsOf(client, "hand")), ["fd00::7,10.0.0.7"]);
});

test("[EP-3] what others deleted or changed meanwhile is put right, after a restart too", async () => {
  await using server = await startControlled(endpointsControllers);
  const { client } = server;
  await createService(client, "web", {});
  await createPod(client, "web", [{ ip: "10.0.0.1" }]);
  await settled(client, "web", ["10.0.0.1"]);
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  await slices.delete({ namespace, name: "web-ipv4-0" });
  await client.resource("v1", "Endpoints").delete({ namespace, name: "web" });
  await settled(client, "web", ["10.0.0.1"]);
  await server.restart([]);
  await slices.delete({ namespace, name: "web-ipv4-0" });
  await createPod(client, "web", [{ ip: "10.0.0.2" }]);
  await server.restart(endpointsControllers);
  await settled(client, "web", ["10.0.0.1", "10.0.0.2"]);
});

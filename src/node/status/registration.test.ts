import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Informers } from "../../api/client/informer.ts";
import { FakeApi } from "../../api/client/testing/api.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { Address } from "../../base/net/address.ts";
import { createLog } from "../../base/program/log.ts";
import type { NodeDescription } from "./description.ts";
import { heartbeat } from "./heartbeat.ts";
import { NodeRegistration } from "./registration.ts";
import { ServicesState } from "./services-state.ts";

const info: NodeDescription["info"] = {
  machineID: "machine",
  systemUUID: "",
  bootID: "",
  kernelVersion: "6",
  osImage: "Debian",
  containerRuntimeVersion: "tandem://1",
  kubeletVersion: "v1",
  kubeProxyVersion: "v1",
  operatingSystem: "linux",
  architecture: "amd64",
};
const description: NodeDescription = {
  name: "worker",
  hostname: "worker",
  addresses: ["192.0.2.1", "2001:db8::1"].map(Address.parse),
  port: 10_250,
  maxPods: 110,
  labels: { zone: "a" },
  taints: [{ key: "new", effect: "NoSchedule" }],
  podCidrs: [],
  info,
};
const supplies = {
  cpus: 2,
  memoryBytes: 8 * 2 ** 30,
  memoryFreeBytes: 2 ** 32,
  diskBytes: 100 * 2 ** 30,
  diskFreeBytes: 50 * 2 ** 30,
  inodes: 100,
  inodesFree: 100,
  tasks: 1,
  tasksMost: 100,
};

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const log = createLog({ format: "json", write: () => undefined });
  const informers = new Informers({ clock, random: new FakeRandom(), log });
  const nodes = api.client.resource("v1", "Node");
  const missing: string[] = [];
  const services = new ServicesState(() => registration.refresh());
  const registration = new NodeRegistration({
    nodes,
    informer: informers.of(nodes),
    description,
    supplies: async () => supplies,
    missing: () => missing,
    services: () => services.findings,
    clock,
    log,
  });
  const leases = api.client.resource("coordination.k8s.io/v1", "Lease");
  const node = () => registration.node();
  const beat = heartbeat({ leases, nodeName: "worker", node, clock, log });
  const stop = new AbortController();
  const run = () => {
    const parts = [informers, registration, beat];
    return Promise.allSettled(parts.map((part) => part.run(stop.signal)));
  };
  const ready = async () => {
    const { status } = await nodes.get({ name: "worker" });
    return status?.conditions?.find(({ type }) => type === "Ready")?.status;
  };
  const written = () => api.asked.filter((line) => line.startsWith("PATCH /api/v1/nodes")).length;
  const servicesAre = async () => {
    const { status } = await nodes.get({ name: "worker" });
    return (status?.conditions ?? [])
      .filter(({ type }) => type.includes("Services"))
      .map(({ type, status: value, message }) => `${type} ${value} ${message}`);
  };
  return {
    api,
    clock,
    nodes,
    leases,
    missing,
    services,
    servicesAre,
    registration,
    stop,
    run,
    ready,
    written,
  };
}

describe("a node's registration", () => {
  test("[POD-7] shows addresses of both families, labels and what the machine has", async () => {
    const { clock, nodes, stop, run } = setUp();
    const running = run();
    await clock.advance(100);
    const { metadata, spec, status } = await nodes.get({ name: "worker" });
    assert.equal(metadata.labels?.["kubernetes.io/hostname"], "worker");
    assert.equal(metadata.labels?.["zone"], "a");
    assert.deepEqual(spec.taints, description.taints);
    const addresses = status?.addresses?.map(({ address }) => address);
    assert.deepEqual(addresses, ["192.0.2.1", "2001:db8::1", "worker"]);
    assert.equal(status?.capacity?.["memory"], "8388608Ki");
    assert.equal(status?.allocatable?.["memory"], "8286208Ki");
    stop.abort();
    await running;
  });

  test("is told again when something changes, and else now and then", async () => {
    const { clock, missing, registration, stop, run, ready, written } = setUp();
    missing.push("no network");
    const running = run();
    await clock.advance(100);
    assert.equal(await ready(), "False");
    missing.pop();
    registration.refresh();
    await clock.advance(100);
    assert.equal(await ready(), "True");
    const before = written();
    await clock.advance(120_000);
    assert.equal(written(), before);
    await clock.advance(300_000);
    assert.equal(written(), before + 1);
    stop.abort();
    await running;
  });

  test("comes back when somebody deletes the node, and speaks up when somebody speaks for it", async () => {
    const { clock, nodes, stop, run, ready } = setUp();
    const running = run();
    await clock.advance(100);
    await nodes.delete({ name: "worker" });
    await clock.advance(100);
    assert.equal(await ready(), "True");
    const conditions = [{ type: "Ready", status: "Unknown" }];
    await nodes.patchStatus({ name: "worker" }, { merge: { status: { conditions } } });
    await clock.advance(100);
    assert.equal(await ready(), "True");
    stop.abort();
    await running;
  });

  test("an agent that starts again does not take back that its node is ready", async () => {
    const { clock, nodes, missing, stop, run, ready } = setUp();
    await nodes.create({ metadata: { name: "worker" }, spec: {} });
    const conditions = [{ type: "Ready", status: "True" }];
    await nodes.patchStatus({ name: "worker" }, { merge: { status: { conditions } } });
    missing.push("no network");
    const running = run();
    await clock.advance(15_000);
    assert.equal(await ready(), "True");
    await clock.advance(20_000);
    assert.equal(await ready(), "False");
    stop.abort();
    await running;
  });

  test("says in each family whether the rules of services are in the kernel", async () => {
    const { clock, services, servicesAre, ready, written, stop, run } = setUp();
    const running = run();
    await clock.advance(100);
    services.tell([
      { family: "IPv4", synced: undefined },
      { family: "IPv6", synced: undefined },
    ]);
    await clock.advance(100);
    assert.deepEqual(await servicesAre(), [], "nothing before it was tried");
    const error = new Error("Cannot run nft: Operation not permitted\nadd table ip6 tandem-proxy");
    const failing = [
      { family: "IPv4", synced: {} },
      { family: "IPv6", synced: undefined, error },
    ] as const;
    services.tell(failing);
    await clock.advance(100);
    const good =
      "tandem.internal/ServicesIPv4Ready True the rules of IPv4 services are in the kernel";
    const bad = "tandem.internal/ServicesIPv6Ready False Cannot run nft: Operation not permitted";
    assert.deepEqual(await servicesAre(), [good, bad]);
    assert.equal(await ready(), "True", "pods run all the same");
    const before = written();
    services.tell(failing);
    await clock.advance(100);
    assert.equal(written(), before, "what is said already is not said again");
    services.tell([{ family: "IPv4", synced: {} }]);
    await clock.advance(100);
    assert.deepEqual(await servicesAre(), [good], "a family that is not served any more is gone");
    services.tell([]);
    await clock.advance(100);
    assert.deepEqual(await servicesAre(), [], "another program keeps the rules");
    stop.abort();
    await running;
  });

  test("its lease is renewed, and made anew when it is gone", async () => {
    const { clock, leases, stop, run } = setUp();
    const place = { namespace: "kube-node-lease", name: "worker" };
    const running = run();
    await clock.advance(100);
    const { spec, metadata } = await leases.get(place);
    assert.equal(metadata.ownerReferences?.[0]?.name, "worker");
    await clock.advance(10_000);
    assert.ok(((await leases.get(place)).spec.renewTime ?? "") > (spec.renewTime ?? ""));
    await leases.delete(place);
    await clock.advance(10_000);
    assert.equal((await leases.get(place)).spec.holderIdentity, "worker");
    stop.abort();
    await running;
  });
});

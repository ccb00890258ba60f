import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { type ClusterNetwork, clusterData, readClusterData } from "./cluster-network.ts";
import type { MachineFacts, UnitState } from "./facts.ts";
import { planAgent } from "./plan-agent.ts";
import { planServer, type ServerWishes } from "./plan-server.ts";
import { services, unitName } from "./services.ts";

const cluster: ClusterNetwork = {
  podCidr: ["10.244.0.0/16", "fd00:10:244::/56"].map(Prefix.parse),
  serviceCidr: ["10.96.0.0/16", "fd00:10:96::/112"].map(Prefix.parse),
  network: "bridge",
  ipam: "host-local",
  route: "auto",
  store: "embedded",
  proxyMode: "nftables",
  apiVips: [],
  ingressVips: [],
};
const idle: UnitState = { isActive: false, isEnabled: false };
const running: UnitState = { isActive: true, isEnabled: true };
const facts: MachineFacts = {
  hostname: "one",
  isRoot: true,
  hasSystemd: true,
  addresses: ["192.0.2.10", "2001:db8::10"].map(Address.parse),
  networks: ["192.0.2.0/24", "2001:db8::/64"].map(Prefix.parse),
  listeners: new Map(),
  units: new Map(services.map((service) => [unitName(service), idle])),
  configuration: new Map(),
  missing: new Map(),
};
const wishes: ServerWishes = {
  cluster,
  isNode: true,
  store: "embedded",
  etcd: undefined,
  tlsSan: [],
  nodeName: undefined,
  nodeIp: [],
  registerWithTaints: [],
};

test("[INST-1] a first server serves on the machine's own addresses of both families, and is a node", () => {
  const plan = planServer(wishes, facts);
  assert.equal(plan.node, "one");
  assert.deepEqual(
    plan.files.map(({ path, change }) => `${change} ${path}`),
    ["create /etc/tandem/server.yaml", "create /etc/tandem/agent.yaml"],
  );
  assert.deepEqual(
    plan.units.map(({ unit, action }) => `${action} ${unit}`),
    ["start tandem-server.service", "start tandem-agent.service"],
  );
  assert.deepEqual(parse(plan.files[0]?.content ?? ""), {
    listen: ["192.0.2.10:6443", "[2001:db8::10]:6443"],
    serviceCidr: ["10.96.0.0/16", "fd00:10:96::/112"],
    clusterCidr: ["10.244.0.0/16", "fd00:10:244::/56"],
    kubeconfigOut: "/var/lib/tandem/admin.kubeconfig",
    store: "embedded",
  });
  const agent = parse(plan.files[1]?.content ?? "") as Record<string, unknown>;
  assert.equal(agent["server"], "https://192.0.2.10:6443");
  assert.deepEqual(agent["clusterDns"], ["10.96.0.10", "fd00:10:96::a"]);
});

test("[INST-1] a second run plans no change, and keeps what else somebody wrote", () => {
  const first = planServer(wishes, facts);
  const configuration = new Map(
    first.files.map(({ path, content }) => [path, `# mine\nauditLog: /var/log/audit\n${content}`]),
  );
  const units = new Map([...facts.units.keys()].map((unit) => [unit, running]));
  const again = planServer(wishes, { ...facts, configuration, units });
  assert.ok(again.files.every(({ change }) => change === "keep"));
  assert.ok(again.units.every(({ action }) => action === "keep"));
  const named = planServer(
    { ...wishes, tlsSan: ["api.example"] },
    { ...facts, configuration, units },
  );
  assert.deepEqual(
    named.units.map(({ action }) => action),
    ["restart", "keep"],
  );
  assert.match(
    named.files[0]?.content ?? "",
    /^# mine\nauditLog: \/var\/log\/audit\n[\s\S]*api\.example/,
  );
});

test("[INST-1] machines that cannot have a role are refused by what they lack", () => {
  const refusals: readonly (readonly [RegExp, Partial<MachineFacts>, Partial<ServerWishes>])[] = [
    [/only root/, { isRoot: false }, {}],
    [/systemd does not run/, { hasSystemd: false }, {}],
    [/no unit tandem-server\.service/, { units: new Map() }, {}],
    [/runc cannot be found/, { missing: new Map([["runc", "runc"]]) }, {}],
    [
      /port 6443, which tandem-server needs, is taken by nginx/,
      { listeners: new Map([[6443, "nginx"]]) },
      {},
    ],
    [/port 10250/, { listeners: new Map([[10_250, "kubelet"]]) }, {}],
    [/no address/, { addresses: [] }, {}],
    [
      /10\.244\.0\.0\/16 overlaps 10\.244\.7\.0\/24/,
      { networks: [Prefix.parse("10.244.7.0/24")] },
      {},
    ],
    [
      /has clusterCidr=10\.1\.0\.0\/16, which cannot become/,
      { configuration: new Map([["/etc/tandem/server.yaml", "clusterCidr: 10.1.0.0/16\n"]]) },
      {},
    ],
    [
      /port 2379, which tandem-etcd needs, is taken by etcd/,
      { listeners: new Map([[2379, "etcd"]]) },
      { etcd: { others: [] } },
    ],
    [/share an etcd/, {}, { cluster: { ...cluster, apiVips: [Address.parse("192.0.2.8")] } }],
    [
      /192\.0\.2\.10 is an address of this machine/,
      {},
      { store: "etcd://x:1", cluster: { ...cluster, apiVips: [Address.parse("192.0.2.10")] } },
    ],
    [
      /198\.51\.100\.8 is in none of this machine's networks/,
      {},
      { store: "etcd://x:1", cluster: { ...cluster, apiVips: [Address.parse("198.51.100.8")] } },
    ],
  ];
  for (const [message, lack, wish] of refusals) {
    assert.throws(() => planServer({ ...wishes, ...wish }, { ...facts, ...lack }), message);
  }
});

test("a port is not taken by the service itself, which runs already", () => {
  const units = new Map([...facts.units.keys()].map((unit) => [unit, running]));
  planServer(wishes, {
    ...facts,
    units,
    listeners: new Map([
      [6443, "node"],
      [10_250, "node"],
    ]),
  });
});

test("[INST-1] servers with virtual addresses have the unit that moves them, and certificates with them", () => {
  const vips = ["192.0.2.8", "2001:db8::8"].map(Address.parse);
  const plan = planServer(
    { ...wishes, store: "etcd://x:1", cluster: { ...cluster, apiVips: vips } },
    facts,
  );
  assert.deepEqual(
    plan.units.map(({ unit }) => unit),
    ["tandem-server.service", "tandem-agent.service", "tandem-vip.service"],
  );
  const server = parse(plan.files[0]?.content ?? "") as Record<string, unknown>;
  assert.deepEqual(server["tlsSan"], ["192.0.2.8", "2001:db8::8"]);
});

test("[INST-1] an agent is told what its cluster is like, and no secret", () => {
  const told = readClusterData(clusterData({ ...cluster, route: "vxlan" }));
  const plan = planAgent({ ...wishes, cluster: told, server: "https://192.0.2.10:6443" }, facts);
  const agent = parse(plan.files[0]?.content ?? "") as Record<string, unknown>;
  assert.equal(agent["route"], "vxlan");
  assert.deepEqual(agent["clusterCidr"], ["10.244.0.0/16", "fd00:10:244::/56"]);
  assert.ok(!("token" in agent));
});

test("[INST-1] servers that run etcd themselves have a member each, with certificates on both sides", () => {
  const first = planServer({ ...wishes, etcd: { others: [] } }, facts);
  assert.deepEqual(
    first.units.map(({ unit }) => unit),
    ["tandem-etcd.service", "tandem-server.service", "tandem-agent.service"],
  );
  const [file] = first.files;
  const values = parse(file?.content ?? "") as Record<string, unknown>;
  const { "peer-transport-security": peers, "client-transport-security": clients } = values;
  assert.deepEqual(peers, clients);
  assert.equal((peers as Record<string, unknown>)["client-cert-auth"], true);
  assert.equal(values["initial-cluster"], "one=https://192.0.2.10:2380");
  assert.equal(values["initial-cluster-state"], "new");
  const others = [{ name: "zero", peerUrls: ["https://192.0.2.9:2380"] }];
  const further = planServer({ ...wishes, etcd: { others } }, facts);
  const joined = parse(further.files[0]?.content ?? "") as Record<string, unknown>;
  assert.equal(
    joined["initial-cluster"],
    "zero=https://192.0.2.9:2380,one=https://192.0.2.10:2380",
  );
  assert.equal(joined["initial-cluster-state"], "existing");
  const configuration = new Map(further.files.map(({ path, content }) => [path, content]));
  const again = planServer({ ...wishes, etcd: { others: [] } }, { ...facts, configuration });
  assert.ok(
    again.files.every(({ change }) => change === "keep"),
    "how a member began stays",
  );
});

// Who reaches whom in a cluster, asked with real packets: servers report which address they were asked
// from.

import assert from "node:assert/strict";
import type { Pod } from "../../src/api/types/core.ts";
import { systemIp } from "../../src/host/ip.system.ts";
import { Address } from "../../src/net/address.ts";
import type { Family } from "../../src/net/family.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export const echoProgram = new URL("../../build/tandem-echo", import.meta.url).pathname;
export const echoPort = 8080;

/** Pods of one node and of two, nodes, the host outside, and containers beside each other. */
export async function checkConnectivity(
  cluster: TestCluster,
  present: readonly Family[],
): Promise<void> {
  const serving = await cluster
    .in("outside")
    .start([echoProgram, "serve"], { diesWithParent: true });
  try {
    const pods = await runPods(cluster, [
      echoPod({ name: "a", node: "node-1" }),
      echoPod({ name: "b", node: "node-1" }),
      echoPod({ name: "c", node: "node-2", hostPort: 18_080 }),
      echoPod({ name: "h", node: "node-2", hostNetwork: true, port: 9090 }),
    ]);
    for (const family of present) {
      await checkFamily(cluster, family, pods);
    }
    const url = "http://localhost:8080/hostname";
    const beside = ["exec", "a", "-c", "beside", "--", "tandem-echo", "get", url];
    assert.equal((await cluster.kubectl.run(...beside)).trim(), "a", "between containers");
  } finally {
    await serving.stop();
  }
}

export interface EchoPodOptions {
  readonly name: string;
  readonly node: string;
  readonly hostPort?: number;
  readonly hostNetwork?: boolean;
  readonly port?: number;
}

/** A pod that says who asks it; a second container beside the first asks. */
export function echoPod({ name, node, hostPort, hostNetwork, port = echoPort }: EchoPodOptions) {
  const ports = (["TCP", "UDP"] as const).map((protocol) => ({
    containerPort: port,
    protocol,
    ...(hostPort === undefined ? {} : { hostPort }),
  }));
  const image = "tandem.internal/echo";
  const args = ["serve", `--http-port=${port}`, `--udp-port=${port}`];
  const beside = ["serve", `--http-port=${port + 1}`, `--udp-port=${port + 1}`];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "echo" } },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      ...(hostNetwork === undefined ? {} : { hostNetwork }),
      containers: [
        {
          name: "echo",
          image,
          args,
          ports,
          readinessProbe: { httpGet: { path: "/healthz", port }, periodSeconds: 1 },
        },
        { name: "beside", image, args: beside },
      ],
    },
  };
}

/** Applies these, and waits until all there are are ready. */
export async function runPods(
  cluster: TestCluster,
  pods: readonly object[],
): Promise<ReadonlyMap<string, Pod>> {
  if (pods.length > 0) {
    await cluster.kubectl.pipe({ apiVersion: "v1", kind: "List", items: pods }, "apply", "-f", "-");
  }
  await cluster.kubectl.run("wait", "--for=condition=Ready", "pods", "--all", "--timeout=25s");
  const list = JSON.parse(await cluster.kubectl.run("get", "pods", "-o", "json")) as {
    items: Pod[];
  };
  return new Map(list.items.map((pod) => [pod.metadata.name ?? "", pod]));
}

export function addressOf(pod: Pod | undefined, family: Family): string {
  const found = (pod?.status?.podIPs ?? []).find(({ ip }) => Address.parse(ip).family === family);
  assert.ok(found !== undefined, `${pod?.metadata.name} has an address of ${family}`);
  return found.ip;
}

export interface Echo {
  readonly client: { readonly address: string };
  readonly pod: { readonly name: string };
}

/** Asks over both protocols; they agree on who asked. */
export async function ask(
  cluster: TestCluster,
  from: string,
  { address, port = echoPort }: { readonly address: string; readonly port?: number },
): Promise<Echo> {
  const host = address.includes(":") ? `[${address}]` : address;
  const client = cluster.in(from);
  const [http, udp] = await Promise.all([
    client.run([echoProgram, "get", `http://${host}:${port}/`, "--timeout=5s"]),
    client.run([echoProgram, "udp", `${host}:${port}`, "hello", "--timeout=5s"]),
  ]);
  const [overHttp, overUdp] = [http, udp].map(({ stdout }) => JSON.parse(stdout) as Echo);
  assert.ok(overHttp !== undefined);
  assert.equal(overUdp?.client.address, overHttp.client.address, "over HTTP and over UDP");
  return overHttp;
}

async function checkFamily(
  cluster: TestCluster,
  family: Family,
  pods: ReadonlyMap<string, Pod>,
): Promise<void> {
  const pod = (name: string) => addressOf(pods.get(name), family);
  const [first, second, outside] = nodesAndOutside[family];
  const own = await addressesIn(cluster, "node-1", family);
  const asked = async (from: string, address: string, port?: number) =>
    (await ask(cluster, from, { address, ...(port === undefined ? {} : { port }) })).client.address;
  const checks: readonly (() => Promise<void>)[] = [
    async () => assert.equal(await asked("default/a", pod("b")), pod("a"), "same node"),
    async () => assert.equal(await asked("default/a", pod("c")), pod("a"), "another node"),
    async () => assert.equal(await asked("default/c", pod("a")), pod("c"), "and back"),
    async () => assert.equal(await asked("default/a", second, 9090), pod("a"), "to a node"),
    async () => assert.ok(own.includes(await asked("node-1", pod("c"))), "from a node"),
    async () => assert.equal(await asked("default/a", outside), first, "masqueraded"),
    async () => {
      const echo = await ask(cluster, "outside", { address: second, port: 18_080 });
      assert.equal(echo.pod.name, "c", "from outside to the port of a host");
      assert.equal(echo.client.address, outside, "which is not masqueraded");
    },
  ];
  await Promise.all(checks.map((check) => check()));
}

/** node-1, node-2, and the host outside. */
const nodesAndOutside = {
  IPv4: ["192.168.111.11", "192.168.111.12", "203.0.113.10"],
  IPv6: ["fd00:111::b", "fd00:111::c", "2001:db8:113::a"],
} as const;

async function addressesIn(
  cluster: TestCluster,
  place: string,
  family: Family,
): Promise<readonly string[]> {
  const found = await systemIp(cluster.in(place)).addresses(family);
  return found.map(({ address }) => String(address));
}

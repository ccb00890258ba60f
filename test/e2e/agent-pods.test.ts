// Real pods on two nodes: whoever is asked tells whom it sees.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Container, Pod } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import type { LanHost } from "../fixtures/lan.ts";
import { type AgentCluster, type AgentNode, openAgentCluster, until } from "./agent.fixture.ts";
import { leads } from "./agent-ways.fixture.ts";

const fetcher = new URL("../../tools/fetch-kubectl", import.meta.url).pathname;
const echoProgram = new URL("../../build/tandem-echo", import.meta.url).pathname;
const exemption = "--non-masquerade-cidr=192.0.2.10/32,2001:db8::10/128";
const timeout = 240_000;
const namespace = "default";
const marker = "tandem.internal/network";
const second = "default/second";
const definitions = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  plural: "network-attachment-definitions",
  kind: "NetworkAttachmentDefinition",
  namespaced: true,
};

describe("pods of two nodes", { timeout }, () => {
  let cluster: AgentCluster;
  let nodes: readonly AgentNode[];
  let outside: LanHost;
  const addressesOf = new Map<string, readonly string[]>();

  before(async () => {
    cluster = await openAgentCluster();
    const [one, other] = [
      await cluster.join("one", ["192.0.2.1/24", "2001:db8::1/64"], [exemption]),
      await cluster.join("other", ["192.0.2.2/24", "2001:db8::2/64"]),
    ];
    nodes = [one, other];
    await until("a way to the other node", one.agent, () => leads(one, other));
    await until("a way back", other.agent, () => leads(other, one));
    outside = await cluster.lan.join("outside", ["192.0.2.9/24", "2001:db8::9/64"]);
    await defineNetwork();
    await Promise.all([
      start("a", "one", { hostPort: 8081 }),
      start("b", "one"),
      start("c", "other", { networks: "second" }),
    ]);
  });
  after(async () => await cluster[Symbol.asyncDispose]());

  const defineNetwork = async () => {
    const ranges = ["10.99.0.0/24", "fd00:99::/64"].map((subnet) => [{ subnet }]);
    const ipam = { type: "host-local", dataDir: `${cluster.lan.scratch}/second`, ranges };
    const config = { cniVersion: "1.0.0", type: "macvlan", master: "eth0", mode: "bridge", ipam };
    await cluster.client.custom(definitions).create({
      metadata: { namespace, name: "second" },
      spec: { config: JSON.stringify(config) },
    });
  };

  const start = async (
    name: string,
    nodeName: string,
    { hostPort, networks }: { hostPort?: number; networks?: string } = {},
  ) => {
    const pods = cluster.client.resource("v1", "Pod");
    const ports = hostPort === undefined ? [] : [{ containerPort: 8080, hostPort }];
    const container: Container = { name: "main", image: "tandem.internal/echo", ports };
    const annotations = networks === undefined ? {} : { "k8s.v1.cni.cncf.io/networks": networks };
    await pods.create({
      metadata: { namespace, name, annotations },
      spec: { nodeName, terminationGracePeriodSeconds: 0, containers: [container] },
    });
    const agent = nodes.find(({ host }) => host.name === nodeName)?.agent;
    assert.ok(agent);
    await until(`pod ${name}`, agent, async () => {
      const { status } = await pods.get({ namespace, name });
      const own = status?.podIPs?.filter(({ properties }) => properties?.[marker] !== second) ?? [];
      addressesOf.set(
        name,
        own.map(({ ip }) => ip),
      );
      return (
        status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false
      );
    });
  };
  const podOf = (name: string): Promise<Pod> =>
    cluster.client.resource("v1", "Pod").get({ namespace, name });
  /** Whom the server at this address sees when it is asked from inside a pod or a host. */
  const seen = async (from: LanHost, url: string): Promise<string> => {
    const { stdout } = await from.commands.run(["curl", "--silent", "--globoff", "-m", "30", url]);
    const { client } = JSON.parse(stdout) as { client: { address: string } };
    return client.address.replace("::ffff:", "");
  };
  /** The same from inside of a pod, by its own program. */
  const seenFromPod = async (pod: string, url: string): Promise<string> => {
    const get = ["/usr/bin/tandem-echo", "get", url, "--timeout=30s"];
    const words = ["--namespace", namespace, "exec", pod, "--", ...get];
    const kubectl = await kubectlProgram();
    const { stdout } = await systemCommands().run([kubectl, ...words], {
      environment: { KUBECONFIG: cluster.kubeconfig, HOME: cluster.lan.scratch },
    });
    const { client } = JSON.parse(stdout) as { client: { address: string } };
    return client.address.replace("::ffff:", "");
  };

  test("[POD-5] [POD-6] have an address of each family, the services' first family first", () => {
    for (const name of ["a", "b"]) {
      const families = addressesOf.get(name)?.map((ip) => (ip.includes(":") ? "IPv6" : "IPv4"));
      assert.deepEqual(families, ["IPv4", "IPv6"], name);
    }
  });

  test("[MODEL-2] [MODEL-3] pods reach pods as themselves, and the world as their node", async () => {
    const echo = await serveEcho(outside);
    try {
      for (const [index, own] of (addressesOf.get("a") ?? []).entries()) {
        for (const other of ["b", "c"]) {
          const url = urlOf(addressesOf.get(other)?.[index] ?? "", 8080);
          assert.equal(await seenFromPod("a", url), own, `a to ${other}`);
        }
        const url = urlOf(["192.0.2.9", "2001:db8::9"][index] ?? "", 8080);
        assert.equal(await seenFromPod("a", url), nodes[0]?.addresses[index]);
      }
    } finally {
      await echo.stop();
    }
  });

  test("[MODEL-3] a destination that is exempt sees pods as they are", async () => {
    const host = await cluster.lan.join("exempt", ["192.0.2.10/24", "2001:db8::10/64"]);
    const own = addressesOf.get("a") ?? [];
    // Its way back leads through the node.
    await host.ip.batch(
      own.map((ip, index) => `route add ${ip} via ${nodes[0]?.addresses[index]}`),
    );
    const echo = await serveEcho(host);
    try {
      for (const [index, ip] of own.entries()) {
        const url = urlOf(["192.0.2.10", "2001:db8::10"][index] ?? "", 8080);
        assert.equal(await seenFromPod("a", url), ip);
      }
    } finally {
      await echo.stop();
    }
  });

  test("[MODEL-2] nodes reach pods by their addresses, and are seen as they are", async () => {
    for (const ip of addressesOf.get("c") ?? []) {
      const [one] = nodes;
      assert.ok(one);
      const address = await seen(one.host, urlOf(ip, 8080));
      assert.ok(one.addresses.includes(address), `${ip} sees ${address}`);
    }
  });

  test("[CNI-2] a host port leads to the pod from outside, in both families", async () => {
    for (const ip of nodes[0]?.addresses ?? []) {
      assert.match(await seen(outside, urlOf(ip, 8081)), /^(192\.0\.2\.9|2001:db8::9)$/);
    }
  });

  test("[CNI-4] a further network is attached and told of", async () => {
    const { metadata, status } = await podOf("c");
    const text = metadata.annotations?.["k8s.v1.cni.cncf.io/network-status"] ?? "[]";
    const networks = JSON.parse(text) as { name: string; interface: string; ips: string[] }[];
    assert.deepEqual(
      networks.map(({ name, interface: link }) => [name, link]),
      [
        ["tandem", "eth0"],
        [second, "net1"],
      ],
    );
    const ips = networks[1]?.ips ?? [];
    assert.equal(ips.length, 2);
    const marked = status?.podIPs?.filter((one) => ips.includes(one.ip)) ?? [];
    assert.deepEqual(
      marked.map(({ properties }) => properties?.[marker]),
      [second, second],
    );
  });
});

/** Answers when this resolves. */
async function serveEcho({ commands }: LanHost): Promise<RunningCommand> {
  const echo = await commands.start([echoProgram, "serve"], { diesWithParent: true });
  await until("the echo", { output: () => "" }, async () => {
    await commands.run(["curl", "--silent", "--fail", `${urlOf("127.0.0.1", 8080)}healthz`]);
    return true;
  });
  return echo;
}

async function kubectlProgram(): Promise<string> {
  const { stdout } = await systemCommands().run([fetcher, "1.36"], { timeoutMs: 60_000 });
  return stdout.trim();
}

function urlOf(ip: string, port: number): string {
  return `http://${ip.includes(":") ? `[${ip}]` : ip}:${port}/`;
}

// The network between nodes, with pods that are no more than network namespaces: whatever is sent from
// them, the receiver tells whom it sees.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Pod } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { inNamespace } from "../../src/base/host/command.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { systemLocks } from "../../src/base/host/lock.system.ts";
import { systemNft } from "../../src/base/host/nft.system.ts";
import { systemNetworkNamespaces } from "../../src/base/host/testing/netns.system.ts";
import { families } from "../../src/base/net/family.ts";
import { createLog } from "../../src/base/program/log.ts";
import { openCniPodNetwork } from "../../src/node/network/pod-network.ts";
import { assertReaches, type ReachingPod } from "../fixtures/ipam-reach.ts";
import { type AgentCluster, type AgentNode, openAgentCluster, until } from "./agent.fixture.ts";
import { leads } from "./agent-ways.fixture.ts";

const timeout = 240_000;

interface Case {
  readonly title: string;
  readonly words: readonly string[];
  /** Of the first and the second node. */
  readonly addresses: readonly [readonly string[], readonly string[]];
  readonly clusterCidr?: string;
  readonly serviceCidr?: string;
  /** What fits into a pod's packet. */
  readonly mtu: number;
}

const dual = [
  ["192.0.2.1/24", "2001:db8::1/64"],
  ["192.0.2.2/24", "2001:db8::2/64"],
] as const;

const cases: readonly Case[] = [
  { title: "a bridge and direct routes", words: [], addresses: dual, mtu: 1500 },
  {
    title: "direct routes between nodes that share IPv6 only",
    words: [],
    addresses: [["2001:db8::1/64"], ["2001:db8::2/64"]],
    mtu: 1500,
  },
  {
    title: "links of their own and VXLAN over IPv4",
    words: ["--network=ptp", "--route=vxlan"],
    addresses: dual,
    // Some other node might have IPv6 only.
    mtu: 1430,
  },
  {
    title: "tandem-ipam and VXLAN over IPv6",
    words: ["--ipam=tandem", "--route=vxlan"],
    addresses: [["2001:db8::1/64"], ["2001:db8::2/64"]],
    clusterCidr: "fd00:10:244::/56,10.244.0.0/16",
    serviceCidr: "fd00:96::/112,10.96.0.0/16",
    mtu: 1430,
  },
];

describe("[NODE-3] [NODE-5] [MODEL-2] [MODEL-3] pods of two nodes", () => {
  for (const { title, words, addresses, mtu, ...ranges } of cases) {
    test(`by ${title}`, { timeout }, async () => {
      const serverAddresses = ["192.0.2.100/24", "2001:db8::100/64"];
      await using cluster = await openAgentCluster({ ...ranges, serverAddresses });
      const server = `--server=https://[2001:db8::100]:6443`;
      // With policies, an address that is no pod's of the API gets nowhere, and these pods are none.
      const bare = "--policies=false";
      const [one, other] = [
        await cluster.join("one", addresses[0], [server, bare, ...words]),
        await cluster.join("other", addresses[1], [server, bare, ...words]),
      ];
      const [a, b, c] = [
        await attach(cluster, one, "a"),
        await attach(cluster, one, "b"),
        await attach(cluster, other, "c"),
      ];
      if (words.includes("--route=vxlan")) await refusePods([one, other]);
      await until("routes on the first node", one.agent, () => leads(one, other));
      await until("routes on the second node", other.agent, () => leads(other, one));
      await assertReaches(a, b);
      await assertReaches(a, c);
      await assertReaches(c, a);
      // Nodes by their addresses, unchanged.
      await assertReaches(a, { commands: one.host.commands, addresses: usable(one, a) });
      await assertReaches(a, { commands: other.host.commands, addresses: usable(other, a) });
      // What leaves the cluster comes from the node.
      const outside = await cluster.lan.join("outside", ["192.0.2.9/24", "2001:db8::9/64"]);
      const egress = { commands: a.commands, addresses: one.addresses };
      const target = ["192.0.2.9", "2001:db8::9"].filter((text) => hasFamilyOf(one, text));
      await assertReaches(egress, { commands: outside.commands, addresses: target });
      await fits(a, one, mtu);
    });
  }
});

/** As networks do that carry only what comes from machines they know: tunnels have to do. */
async function refusePods(nodes: readonly AgentNode[]): Promise<void> {
  const rules = ["ip saddr 10.244.0.0/16 drop", "ip6 saddr fd00:10:244::/56 drop"];
  const lines = rules.map((rule) => `add rule inet underlay in iifname "eth0" ${rule}`);
  const chain = "{ type filter hook prerouting priority -300; }";
  const script = ["add table inet underlay", `add chain inet underlay in ${chain}`, ...lines];
  for (const { host } of nodes) await systemNft(host.commands).apply(`${script.join("\n")}\n`);
}

/** Attaches an empty namespace as the agent attaches a pod's. */
async function attach(
  { client, lan }: AgentCluster,
  { host, runDir }: AgentNode,
  name: string,
): Promise<ReachingPod> {
  const commands = systemCommands();
  const directory = join(lan.scratch, "netns");
  const namespaces = systemNetworkNamespaces({ commands, locks: systemLocks(commands), directory });
  const namespace = await namespaces.create(`pod-${name}`);
  const network = openCniPodNetwork({
    client,
    commands: host.commands,
    files: systemFiles,
    log: createLog({ write: () => undefined, format: "text" }),
    confDirectory: join(runDir, "cni/net.d"),
    binDirectories: ["/usr/lib/cni", join(import.meta.dirname, "../../build")],
    cacheDirectory: join(runDir, "cni/attachments"),
    ipam: { kubeconfig: "", node: host.name, ownDirectory: "" },
  });
  const metadata = { namespace: "default", name, uid: name };
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } };
  const found = await network.attach({ pod, sandbox: `sandbox-${name}`, namespace });
  const addresses = found.map(({ address }) => address.toString());
  assert.deepEqual(new Set(found.map(({ address }) => address.family)), new Set(families));
  return { commands: inNamespace(commands, namespace), addresses };
}

function usable(node: AgentNode, pod: ReachingPod): readonly string[] {
  return node.addresses.filter((text) => pod.addresses.some((one) => isSameFamily(one, text)));
}

function hasFamilyOf({ addresses }: AgentNode, text: string): boolean {
  return addresses.some((one) => isSameFamily(one, text));
}

function isSameFamily(one: string, other: string): boolean {
  return one.includes(":") === other.includes(":");
}

/** Pods know what fits, and nothing has to be broken into pieces on the way. */
async function fits(pod: ReachingPod, { host }: AgentNode, mtu: number): Promise<void> {
  const links = await systemIp(pod.commands).links();
  assert.equal(links.find(({ name }) => name === "eth0")?.mtu, mtu);
  const counters = ["IpFragCreates", "Ip6FragCreates"];
  const { stdout } = await host.commands.run(["nstat", "--json", "-az", ...counters]);
  const { kernel } = JSON.parse(stdout) as { kernel: Record<string, number> };
  assert.deepEqual(Object.values(kernel), [0, 0]);
}

// Chains and further networks: host ports from outside, and macvlan beside the bridge.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { type Family, families } from "../../src/base/net/family.ts";
import { addressesOf } from "../../src/node/network/cni/attached.ts";
import { parseNetwork } from "../../src/node/network/cni/configuration.ts";
import { openNetworkDirectory } from "../../src/node/network/cni/directory.ts";
import { attachNetworks } from "../../src/node/network/cni/networks/attach.ts";
import { networkOf } from "../../src/node/network/cni/networks/definition.ts";
import { planNetworks } from "../../src/node/network/cni/networks/plan.ts";
import { parseNetworkSelections } from "../../src/node/network/cni/networks/selection.ts";
import { networkStatus } from "../../src/node/network/cni/networks/status.ts";
import { addressesByInterface } from "../../src/node/network/cni/testing/addresses-by-interface.ts";
import { assertReaches } from "../fixtures/ipam-reach.ts";
import { type CniNode, type IpamKind, openCniSandbox, type PodPlace } from "./cni.fixture.ts";

const openNode = await openCniSandbox();
const timeout = 120_000;
const claim = "service.kubernetes.io/service-controller-name";

function podNetwork(node: CniNode, kind: IpamKind) {
  const plugins = [
    {
      type: "bridge",
      bridge: "cbr0",
      isGateway: true,
      isDefaultGateway: true,
      capabilities: { ips: true },
      ipam: node.ipam(kind),
    },
    { type: "portmap", capabilities: { portMappings: true } },
  ];
  return parseNetwork({ cniVersion: "1.1.0", name: "pods", plugins }, { where: "test" });
}

test("[CNI-2] a host port leads to the pod, over both families", { timeout }, async () => {
  const node = await openNode("hostport");
  const outside = await node.pod("outside");
  await systemIp(node.commands).batch([
    `link add uplink type veth peer name uplink netns ${outside.path}`,
    "link set uplink up",
    "address add 192.0.2.1/24 dev uplink",
    "address add 2001:db8::1/64 dev uplink nodad",
  ]);
  await systemIp(outside.commands).batch([
    "link set uplink up",
    "address add 192.0.2.9/24 dev uplink",
    "address add 2001:db8::9/64 dev uplink nodad",
  ]);
  const before = await node.census();
  const { commands, attachment } = await node.pod("web");
  const portMappings = [{ hostPort: 7777, containerPort: 7777, protocol: "tcp" as const }];
  const runtime = node.runtime();
  await runtime.add(podNetwork(node, "host-local"), {
    ...attachment,
    capabilities: { portMappings },
  });
  const client = { commands: outside.commands, addresses: ["192.0.2.9", "2001:db8::9"] };
  await assertReaches(client, { commands, addresses: ["192.0.2.1", "2001:db8::1"] });

  await node.runtime().delete(attachment);
  for (const family of families) assert.doesNotMatch(await natRules(node, family), /7777|CNI-DN-/);
  assert.deepEqual(await node.census(), { ...before, links: before.links + 1 });
});

test("[CNI-4] [CNI-5] [PROP-5] pods reach each other over a second network, and get it again", {
  timeout,
}, async () => {
  const node = await openNode("second");
  await systemIp(node.commands).batch([
    "link add uplink type veth peer name wire",
    "link set wire up",
    "link set uplink up",
  ]);
  const before = await node.census();
  const runtime = node.runtime();
  const first = podNetwork(node, "tandem-ipam");
  const definition = {
    metadata: { namespace: "lab", name: "blue", annotations: { [claim]: "blue-controller" } },
    spec: {
      config: JSON.stringify({
        cniVersion: "1.0.0",
        type: "macvlan",
        master: "uplink",
        mode: "bridge",
        capabilities: { ips: true, mac: true },
        ipam: node.ipam("tandem-ipam", ["10.88.0.0/24", "fd88::/64"]),
      }),
    },
  };
  const blue = await networkOf(definition, openNetworkDirectory(systemFiles, "/nonexistent"));
  const attach = async (
    { commands, attachment }: PodPlace,
    { annotation, ...more }: { annotation: string } & Partial<Parameters<typeof attachNetworks>[1]>,
  ) => {
    const selections = parseNetworkSelections(annotation, "lab");
    const further = selections.map((selection) => ({ selection, network: blue }));
    const ip = systemIp(commands);
    const plan = planNetworks({ network: first }, further);
    return attachNetworks(plan, { runtime, ip, ...attachment, ...more });
  };
  const mac = "02:00:00:00:88:50";
  const element = { name: "blue", ips: ["10.88.0.80", "fd88::80"], mac };
  const route = { ...element, "default-route": ["10.88.0.1", "fd88::1"] };
  const [a, b] = await Promise.all([node.pod("a"), node.pod("b")]);
  const [one, other] = [
    await attach(a, { annotation: "blue@blue0" }),
    await attach(b, { annotation: JSON.stringify([route]) }),
  ];

  const texts = (found: typeof one, link: string) =>
    (addressesByInterface(found)[link] ?? []).map(String).toSorted();
  assert.deepEqual(texts(other, "net1"), ["10.88.0.80", "fd88::80"]);
  const [left, right] = [
    { commands: a.commands, addresses: texts(one, "blue0") },
    { commands: b.commands, addresses: texts(other, "net1") },
  ];
  await assertReaches(left, right);
  await assertReaches(right, left);
  assert.deepEqual(await defaultRoutes(b), ["10.88.0.1 net1", "fd88::1 net1"]);
  assert.deepEqual(await defaultRoutes(a), ["10.66.0.1 eth0", "fd66::1 eth0"]);

  const [, second] = JSON.parse(Object.values(networkStatus(other)).join()) as {
    ips: string[];
    [key: string]: unknown;
  }[];
  assert.deepEqual(
    { ...second, ips: second?.ips.toSorted() },
    {
      name: "lab/blue",
      interface: "net1",
      ips: ["10.88.0.80", "fd88::80"],
      mac,
      dns: {},
      gateway: second?.["gateway"],
    },
  );
  const claims = other.flatMap(addressesOf).map((found) => found.serviceController);
  assert.deepEqual(claims, [undefined, undefined, "blue-controller", "blue-controller"]);

  // The namespace of a dies; its pod comes back in another, after a restart of the runtime.
  const previous = addressesByInterface(one);
  await a.die();
  await node.runtime().deleteAll(a.attachment.container);
  const back = await attach(await node.pod("a2"), { annotation: "blue@blue0", previous });
  assert.deepEqual(addressesByInterface(back), previous);

  for (const { container } of await runtime.attached()) await runtime.deleteAll(container);
  const links = before.links + 1;
  assert.deepEqual(await node.censusWithin(links), { ...before, links });
});

async function natRules({ commands }: CniNode, family: Family): Promise<string> {
  const program = family === "IPv4" ? "iptables-save" : "ip6tables-save";
  return (await commands.run([program, "--table", "nat"])).stdout;
}

async function defaultRoutes({ commands }: Pick<CniNode, "commands">): Promise<readonly string[]> {
  const all = await Promise.all(families.map((family) => systemIp(commands).routes(family)));
  return all
    .flat()
    .filter(({ destination }) => destination.length === 0)
    .flatMap(({ nextHops }) => nextHops.map(({ gateway, link }) => `${gateway} ${link}`));
}

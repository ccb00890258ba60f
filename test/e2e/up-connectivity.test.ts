import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../src/api/types/core.ts";
import { systemIp } from "../../src/host/ip.system.ts";
import { type Family, families } from "../../src/net/family.ts";
import { type ClusterOptions, type TestCluster, withCluster } from "./cluster.fixture.ts";
import { addressOf, ask, echoPod, echoProgram, runPods } from "./connectivity.fixture.ts";

const podCidrs = {
  IPv4: "10.244.0.0/16",
  IPv6: "fd00:10:244::/56",
  "IPv4 first": "10.244.0.0/16,fd00:10:244::/56",
  "IPv6 first": "fd00:10:244::/56,10.244.0.0/16",
} as const;

type Row = readonly [
  keyof typeof podCidrs,
  "bridge" | "ptp",
  "host-local" | "tandem",
  "direct" | "vxlan",
];

/** Every value at least once, and every pair of those that are two. */
const pairwise: readonly Row[] = [
  ["IPv4 first", "bridge", "host-local", "direct"],
  ["IPv6 first", "bridge", "tandem", "vxlan"],
  ["IPv4", "ptp", "tandem", "direct"],
  ["IPv6", "ptp", "host-local", "vxlan"],
];

const product: readonly Row[] = (Object.keys(podCidrs) as (keyof typeof podCidrs)[]).flatMap(
  (stack) =>
    (["bridge", "ptp"] as const).flatMap((network) =>
      (["host-local", "tandem"] as const).flatMap((ipam) =>
        (["direct", "vxlan"] as const).map((route): Row => [stack, network, ipam, route]),
      ),
    ),
);

for (const [stack, network, ipam, route] of process.env["TANDEM_SOAK"] === "1"
  ? product
  : pairwise) {
  test(`[MODEL-1] [MODEL-2] [MODEL-3] [MODEL-4] [NODE-5] ${stack}, ${network}, ${ipam}, ${route}`, async () => {
    const options: ClusterOptions = { nodes: 2, podCidr: podCidrs[stack], network, ipam, route };
    await withCluster(options, async (cluster) => {
      await checkConnectivity(cluster, stack);
    });
  });
}

async function checkConnectivity(cluster: TestCluster, stack: string): Promise<void> {
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
    for (const family of families.filter((each) => isIn(stack, each))) {
      await checkFamily(cluster, family, pods);
    }
    const url = "http://localhost:8080/hostname";
    const beside = ["exec", "a", "-c", "beside", "--", "tandem-echo", "get", url];
    assert.equal((await cluster.kubectl.run(...beside)).trim(), "a", "between containers");
  } finally {
    await serving.stop();
  }
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

function isIn(stack: string, family: Family): boolean {
  return stack === family || stack.endsWith("first");
}

async function addressesIn(
  cluster: TestCluster,
  place: string,
  family: Family,
): Promise<readonly string[]> {
  const found = await systemIp(cluster.in(place)).addresses(family);
  return found.map(({ address }) => String(address));
}

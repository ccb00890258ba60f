import assert from "node:assert/strict";
import { test } from "node:test";
import { disposableCluster, says, withCluster } from "./cluster.fixture.ts";
import { echoPod, runPods } from "./connectivity.fixture.ts";
import { checkAddresses } from "./control-planes.fixture.ts";

test("[VIP-3] control planes of one family, at a virtual address of one's own", async () => {
  const apiVips = "fd00:111::5";
  const options = { controlPlanes: 3, nodes: 1, dns: false, podCidr: "fd00:10:244::/56", apiVips };
  await withCluster(options, async (cluster) => {
    await checkAddresses(cluster, [apiVips]);
    await runPods(cluster, [echoPod({ name: "a", node: "node-1" })]);
  });
});

test("an ordinary user is told that several control planes are for root", async () => {
  await using cluster = await disposableCluster({ user: 65_534, controlPlanes: 3, nodes: 1 });
  await assert.rejects(cluster.up(), says(/controlPlanes=3: several are for root/));
});

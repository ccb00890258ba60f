// Ingress where there are several control planes: at its virtual addresses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withCluster } from "./cluster.fixture.ts";
import {
  apply,
  balancedAddresses,
  deployment,
  echoThrough,
  service,
} from "./ingress-up.fixture.ts";

test("[ING-1] [VIP-3] ingress is reached at its virtual addresses, of both families", async () => {
  const settings = { controlPlanes: 3, nodes: 1, ingress: true, dns: false };
  await withCluster(settings, async (cluster) => {
    await apply(cluster, [deployment, service("web", {})]);
    await cluster.kubectl.run("create", "ingress", "web", "--rule=web.example/*=web:80");
    const addresses = await balancedAddresses(cluster, "ingress/web");
    assert.deepEqual(addresses, ["192.168.111.9", "fd00:111::9"]);
    for (const address of addresses) await echoThrough(cluster, address, "web.example");
  });
});

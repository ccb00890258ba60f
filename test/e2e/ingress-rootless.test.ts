import { test } from "node:test";
import { withCluster } from "./cluster.fixture.ts";
import {
  apply,
  balancedAddresses,
  deployment,
  echoThrough,
  service,
} from "./ingress-up.fixture.ts";

/** Who has nothing on the machine: `nobody`. */
const user = 65_534;

test("[ING-1] an ordinary user's cluster serves Ingresses, too", async () => {
  await withCluster({ user, nodes: 1, ingress: true, dns: false }, async (cluster) => {
    await apply(cluster, [deployment, service("web", {})]);
    await cluster.kubectl.run("create", "ingress", "web", "--rule=web.example/*=web:80");
    for (const address of await balancedAddresses(cluster, "ingress/web")) {
      await echoThrough(cluster, address, "web.example");
    }
  });
});

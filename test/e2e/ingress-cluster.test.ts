// Real pods of a whole cluster, reached from outside through ingress and through a load balancer.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { dataPlaces } from "../../src/cluster/places.ts";
import { innerKubeconfig } from "../../src/cluster/programs.ts";
import { CommandError } from "../../src/host/error.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import { echoPort } from "./connectivity.fixture.ts";

const launcher = join(import.meta.dirname, "../../bin/tandem");

test("[ING-1] [ING-2] [MODEL-4] a Deployment is served to clients outside, in both families", async () => {
  await withCluster({ nodes: 2 }, async (cluster) => {
    await cluster.kubectl.pipe(
      { apiVersion: "v1", kind: "List", items: objects },
      "apply",
      "-f",
      "-",
    );
    await cluster.kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
    const addresses = await cluster.until("the service has addresses", async () => {
      const path = "jsonpath={.status.loadBalancer.ingress[*].ip}";
      const found = (await cluster.kubectl.run("get", "service", "web", "-o", path)).trim();
      return found.includes(" ") ? found.split(" ") : undefined;
    });
    const pods = (await cluster.kubectl.run("get", "pods", "-o", "name")).trim().split("\n");
    assert.equal(pods.length, 2);
    for (const address of addresses) {
      const url = `http://${address.includes(":") ? `[${address}]` : address}/hostname`;
      const pod = await cluster.until(`${url} is answered`, () => ask(cluster, [url]));
      assert.ok(pods.includes(`pod/${pod}`), pod);
    }
    await withIngress(cluster, async () => {
      const create = ["create", "ingress", "web", "--class=tandem", "--rule=web.example/*=web:80"];
      await cluster.kubectl.run(...create);
      for (const url of await nodeUrlsOf(cluster)) {
        const words = ["-H", "Host: web.example", `${url}hostname`];
        const pod = await cluster.until(`${url} is answered`, () => ask(cluster, words));
        assert.ok(pods.includes(`pod/${pod}`), pod);
      }
    });
  });
});

const labels = { app: "web" };
const objects = [
  {
    apiVersion: "tandem.internal/v1",
    kind: "AddressPool",
    metadata: { name: "lan" },
    spec: { addresses: ["192.168.111.200-192.168.111.210", "fd00:111::200-fd00:111::210"] },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "tandem" },
    spec: { controller: "tandem.internal/ingress" },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: {
      type: "LoadBalancer",
      ipFamilyPolicy: "RequireDualStack",
      selector: labels,
      ports: [{ name: "http", port: 80, targetPort: echoPort }],
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: "echo",
              image: "tandem.internal/echo",
              args: ["serve", `--http-port=${echoPort}`],
              readinessProbe: { httpGet: { path: "/healthz", port: echoPort }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  },
];

async function nodeUrlsOf(cluster: TestCluster): Promise<readonly string[]> {
  const path = "jsonpath={.status.addresses[?(@.type=='InternalIP')].address}";
  const found = (await cluster.kubectl.run("get", "node", "node-1", "-o", path)).trim().split(" ");
  return found.map((address) => `http://${address.includes(":") ? `[${address}]` : address}/`);
}

/** Nothing if there is no good answer. */
async function ask(cluster: TestCluster, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await cluster.in("outside").run(["curl", "-sSf", "-m", "2", ...words]);
    return stdout.trim();
  } catch (error) {
    if (error instanceof CommandError && error.exitCode !== undefined) return undefined;
    throw error;
  }
}

async function withIngress(cluster: TestCluster, use: () => Promise<void>): Promise<void> {
  const directory = await mkdtemp("/tmp/tandem-ingress-");
  const kubeconfig = innerKubeconfig(dataPlaces(join(cluster.directory, "data")));
  const words = [`--kubeconfig=${kubeconfig}`, `--data-dir=${directory}`, "--drain-timeout=2s"];
  const running = await cluster
    .in("node-1")
    .start([launcher, "ingress", ...words], { diesWithParent: true, graceMs: 10_000 });
  try {
    await use();
  } finally {
    await running.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

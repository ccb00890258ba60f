import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { families } from "../../src/base/net/family.ts";
import { disposableCluster, withCluster } from "./cluster.fixture.ts";
import { hostNetwork } from "./cluster-traces.fixture.ts";
import { addressOf, type Echo, echoPod, echoPort, runPods } from "./connectivity.fixture.ts";

const ranges = {
  podCidr: "10.201.0.0/16,fd00:aced:1::/56",
  serviceCidr: "10.202.0.0/16,fd00:aced:2::/112",
  nodeCidr: "10.203.0.0/24,fd00:aced:3::/64",
};

test("with host access the machine reaches nodes, pods and services, and has no routes afterwards", async () => {
  const before = await hostNetwork();
  await withCluster({ nodes: 1, dns: false, hostAccess: true, ...ranges }, async (cluster) => {
    const pods = await runPods(cluster, [echoPod({ name: "a", node: "node-1" })]);
    const service = await cluster.kubectl.pipe(web, "create", "-o", "json", "-f", "-");
    const { clusterIPs = [] } = (JSON.parse(service) as Service).spec ?? {};
    for (const family of families) {
      const api = family === "IPv4" ? "10.203.0.2" : "[fd00:aced:3::2]";
      assert.equal(await get("--insecure", `https://${api}:6443/healthz`), "ok");
      const pod = addressOf(pods.get("a"), family);
      const { client } = JSON.parse(await get(urlOf(pod, echoPort))) as Echo;
      assert.equal(client.address, family === "IPv4" ? "10.203.0.10" : "fd00:aced:3::a");
      const ip = clusterIPs.find((each) => each.includes(":") === (family === "IPv6")) ?? "";
      await cluster.until(`the service answers over ${family}`, async () =>
        (await get("--max-time", "1", `${urlOf(ip, 80)}hostname`)) === "a" ? true : undefined,
      );
    }
  });
  assert.equal(await hostNetwork(), before);
});

test("host access to where the machine has a route already is refused", async () => {
  await withCluster({ nodes: 1, dns: false, hostAccess: true, ...ranges }, async () => {
    await using other = await disposableCluster({
      nodes: 1,
      dns: false,
      hostAccess: true,
      ...ranges,
    });
    await assert.rejects(
      other.up(),
      (error) => error instanceof CommandError && /podCidr=10\.201\.0\.0\/16/.test(error.stderr),
    );
  });
});

const web = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: {
    selector: { app: "echo" },
    ipFamilyPolicy: "RequireDualStack",
    ports: [{ port: 80, targetPort: echoPort }],
  },
};

/** Nothing when there is no answer. */
async function get(...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await systemCommands().run(["curl", "--silent", ...args]);
    return stdout.trim();
  } catch (error) {
    if (error instanceof CommandError) return "";
    throw error;
  }
}

function urlOf(address: string, port: number): string {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
}

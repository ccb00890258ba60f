// Several control planes: whoever asks does so at the virtual addresses.

import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CommandError } from "../../src/base/host/error.ts";
import { disposableCluster, says, type TestCluster } from "./cluster.fixture.ts";
import { mentionsOf, namespacesAround, pidsOf, untilGone } from "./cluster-traces.fixture.ts";
import { echoPod, runPods } from "./connectivity.fixture.ts";
import { checkAddresses, planes } from "./control-planes.fixture.ts";

test("[VIP-3, VIP-7] three control planes are reached at one pair of addresses, and come back as they were", async () => {
  await using cluster = await disposableCluster({ controlPlanes: 3, nodes: 1, dns: false });
  await cluster.up();
  await checkNodes(cluster);
  await checkAddresses(cluster, ["192.168.111.8", "fd00:111::8"]);
  await checkPods(cluster);
  await checkEtcd(cluster);

  const uids = await cluster.kubectl.run("get", "nodes,pods", "-o", identity);
  await cluster.down("--keep-data");
  await assert.rejects(cluster.status(), says(/it does not run/));
  await cluster.up();
  await runPods(cluster, []);
  assert.equal(await cluster.kubectl.run("get", "nodes,pods", "-o", identity), uids);
  await checkAddresses(cluster, ["192.168.111.8", "fd00:111::8"]);

  const namespaces = await namespacesAround(await pidsOf(cluster));
  await cluster.down();
  await untilGone(namespaces);
  assert.deepEqual(await mentionsOf(cluster.name), []);
  assert.deepEqual(await mentionsOf(cluster.directory), []);
  await assert.rejects(access(join(cluster.directory, "data")), { code: "ENOENT" });
});

const identity = "jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.uid}{'\\n'}{end}";

/** What kubectl says has come by the machine's loopback, and from there by a virtual address. */
async function checkNodes(cluster: TestCluster): Promise<void> {
  const { kubectl } = cluster;
  const nodes = await kubectl.run("get", "nodes", "-o", "name");
  assert.deepEqual(
    nodes.trim().split("\n"),
    [...planes, "node-1"].map((name) => `node/${name}`),
  );
  const role = "node-role.kubernetes.io/control-plane";
  const labelled = await kubectl.run("get", "nodes", "-l", role, "-o", "name");
  assert.deepEqual(
    labelled.trim().split("\n"),
    planes.map((name) => `node/${name}`),
  );
  await cluster.until("every server is an endpoint", async () => {
    const endpoints = ["get", "endpoints", "kubernetes", "-o"];
    const listed = await kubectl.run(...endpoints, "jsonpath={.subsets[*].addresses[*].ip}");
    return listed === "192.168.111.2 192.168.111.3 192.168.111.4" ? true : undefined;
  });
  const { programs } = await cluster.status();
  const wanted = planes.flatMap((name) => [name, `${name}-etcd`, `${name}-server`, `${name}-vip`]);
  assert.deepEqual(
    programs.map(({ name, isRunning, restarts }) => `${name} ${isRunning} ${restarts}`).toSorted(),
    ["supervisor", "forwarder", "node-1", ...wanted].map((name) => `${name} true 0`).toSorted(),
  );
}

/** Control planes keep to themselves. */
async function checkPods(cluster: TestCluster): Promise<void> {
  const { metadata, spec, ...pod } = echoPod({ name: "a", node: "node-1" });
  const { nodeName: _, ...free } = spec;
  const pods = await runPods(cluster, [{ ...pod, metadata, spec: free }]);
  assert.equal(pods.get("a")?.spec?.nodeName, "node-1");
}

/** Pods reach its members, who tell them nothing without a certificate. */
async function checkEtcd(cluster: TestCluster): Promise<void> {
  const pki = join(cluster.directory, "data", "etcd", "pki", "control-plane-1");
  const certificate = ["--cert", `${pki}.crt`, "--key", `${pki}.key`];
  const pod = cluster.in("default/a");
  for (const host of ["192.168.111.2", "[fd00:111::3]"]) {
    const place = `${host}:2379/health`;
    const curl = ["curl", "--silent", "--show-error", "--insecure", "--max-time", "30"];
    // It has none while its members elect a leader, which a busy machine makes them do.
    await cluster.until(`${place} tells of its health`, async () => {
      const { stdout } = await pod.run([...curl, ...certificate, `https://${place}`]);
      return /"health": ?"true"/.test(stdout) ? true : undefined;
    });
    for (const url of [`https://${place}`, `http://${place}`]) {
      const refused = pod.run([...curl, "--fail", url]);
      await assert.rejects(
        refused,
        (error) => error instanceof CommandError && error.stdout === "",
      );
    }
  }
}

// Several control planes: whoever asks does so at the virtual addresses.

import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { launcher } from "../../src/cluster/programs.ts";
import { CommandError } from "../../src/host/error.ts";
import type { VipStatus } from "../../src/vip/status.ts";
import { disposableCluster, says, type TestCluster, withCluster } from "./cluster.fixture.ts";
import { mentionsOf, namespacesAround, pidsOf, untilGone } from "./cluster-traces.fixture.ts";
import { echoPod, runPods } from "./connectivity.fixture.ts";

const planes = [1, 2, 3].map((number) => `control-plane-${number}`);

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

test("[VIP-3] one family, and virtual addresses of one's own", async () => {
  const apiVips = "fd00:111::5";
  const options = { controlPlanes: 3, nodes: 1, dns: false, podCidr: "fd00:10:244::/56", apiVips };
  await withCluster(options, async (cluster) => {
    await checkAddresses(cluster, [apiVips]);
    await runPods(cluster, [echoPod({ name: "a", node: "node-1" })]);
  });
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
  const endpoints = ["get", "endpoints", "kubernetes", "-o"];
  const listed = await kubectl.run(...endpoints, "jsonpath={.subsets[*].addresses[*].ip}");
  assert.equal(listed, "192.168.111.2 192.168.111.3 192.168.111.4");
  const { programs } = await cluster.status();
  const wanted = planes.flatMap((name) => [name, `${name}-etcd`, `${name}-server`, `${name}-vip`]);
  assert.deepEqual(
    programs.map(({ name, isRunning, restarts }) => `${name} ${isRunning} ${restarts}`).toSorted(),
    ["supervisor", "forwarder", "node-1", ...wanted].map((name) => `${name} true 0`).toSorted(),
  );
}

/** They answer, with a certificate for them, whoever is outside; one control plane holds them all. */
async function checkAddresses(cluster: TestCluster, vips: readonly string[]): Promise<void> {
  const outside = cluster.in("outside");
  const authority = join(cluster.directory, "authority.pem");
  const certificate = ["config", "view", "--raw", "-o"];
  const path = "jsonpath={.clusters[0].cluster.certificate-authority-data}";
  const encoded = await cluster.kubectl.run(...certificate, path);
  await outside.run(["sh", "-c", `base64 --decode > ${authority}`], { stdin: encoded });
  for (const vip of vips) {
    const url = `https://${vip.includes(":") ? `[${vip}]` : vip}:6443/readyz`;
    const asked = ["curl", "--silent", "--max-time", "10", "--cacert", authority, url];
    assert.equal((await outside.run(asked)).stdout, "ok", url);
  }
  const held = await cluster.until("one control plane holds the pair", async () => {
    const rows = (await vipStatus(cluster)).filter(({ use }) => use === "api");
    return rows.every(({ holders }) => holders.length === 1) ? rows : undefined;
  });
  assert.deepEqual(
    held.map(({ vip }) => vip),
    vips,
  );
  const holders = new Set(held.map(({ holders: [holder] }) => holder?.node ?? ""));
  assert.equal(holders.size, 1, JSON.stringify(held));
  for (const { candidates, failing } of held) {
    assert.deepEqual([candidates.toSorted(), failing], [planes, []]);
  }
  const [holder = ""] = holders;
  const { stdout } = await cluster.in(holder).run(["ip", "-brief", "address", "show", "eth0"]);
  for (const vip of vips) assert.ok(stdout.includes(` ${vip}/`), `${holder} has ${vip}: ${stdout}`);
}

/** It ends with 1 as long as nobody runs ingress, and so nobody holds its addresses. */
async function vipStatus(cluster: TestCluster): Promise<readonly VipStatus[]> {
  const kubeconfig = join(cluster.directory, "data", "server", "admin.kubeconfig");
  const asked = [launcher, "vip", "status", `--kubeconfig=${kubeconfig}`, "--output=json"];
  try {
    return JSON.parse((await cluster.in("outside").run(asked)).stdout) as VipStatus[];
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === 1 && error.stdout !== "") {
      return JSON.parse(error.stdout) as VipStatus[];
    }
    throw error;
  }
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
    const curl = ["curl", "--silent", "--show-error", "--insecure", "--max-time", "10"];
    const { stdout } = await pod.run([...curl, ...certificate, `https://${place}`]);
    assert.match(stdout, /"health": ?"true"/);
    for (const url of [`https://${place}`, `http://${place}`]) {
      const refused = pod.run([...curl, "--fail", url]);
      await assert.rejects(
        refused,
        (error) => error instanceof CommandError && error.stdout === "",
      );
    }
  }
}

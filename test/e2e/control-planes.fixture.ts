// The virtual addresses of a cluster with three control planes, as everybody sees them.

import assert from "node:assert/strict";
import { join } from "node:path";
import { launcher } from "../../src/cluster/programs.ts";
import { CommandError } from "../../src/host/error.ts";
import type { VipStatus } from "../../src/vip/status.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export const planes = [1, 2, 3].map((number) => `control-plane-${number}`);

/** They answer, with a certificate for them, whoever is outside; one control plane holds them all. */
export async function checkAddresses(cluster: TestCluster, vips: readonly string[]): Promise<void> {
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

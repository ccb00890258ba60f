// The virtual addresses (VIPs) of a cluster with three control planes, as clients see them.

import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { CommandOutput } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import type { VipStatus } from "../../src/edge/vip/status.ts";
import { launcher } from "../../src/programs/up/programs.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export const planes = [1, 2, 3].map((number) => `control-plane-${number}`);

/**
 * Checks that the VIPs answer outside clients, with a certificate that names them, and that one control
 * plane holds them all.
 */
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
    await cluster.until(`${url} answers`, () => unlessFailed(outside.run(asked)));
  }
  let seen = "";
  const areHeld = async () => {
    const rows = (await vipStatus(cluster)).filter(({ use }) => use === "api");
    const holders = new Set(rows.flatMap(({ holders: all }) => all.map(({ node }) => node)));
    const [holder = ""] = holders;
    const { stdout } = await cluster.in(holder || "outside").run(addresses);
    seen = `${JSON.stringify(rows)} ${stdout}`;
    const isAlone = holders.size === 1 && rows.every(({ holders: all }) => all.length === 1);
    const areFit = rows.every(({ candidates, failing }) =>
      isDeepStrictEqual([candidates.toSorted(), failing], [planes, []]),
    );
    const isShown = vips.every((vip) => stdout.includes(` ${vip}/`));
    return isAlone && areFit && isShown ? rows : undefined;
  };
  const held = await cluster
    .until("one control plane holds the pair", areHeld)
    .catch((cause: unknown) => {
      throw new Error(`Cannot find one that holds ${vips.join(" and ")}: ${seen}`, { cause });
    });
  assert.deepEqual(
    held.map(({ vip }) => vip),
    vips,
  );
}

const addresses = ["ip", "-brief", "address", "show", "eth0"];

/** Whether a VIP answers; undefined when it does not, as while it moves to another control plane. */
async function unlessFailed(asked: Promise<CommandOutput>): Promise<true | undefined> {
  try {
    return (await asked).stdout === "ok" ? true : undefined;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/**
 * Returns the output of `tandem vip status`, also when it exits with 1 because nobody runs ingress and
 * holds its VIPs.
 */
export async function vipStatus(cluster: TestCluster): Promise<readonly VipStatus[]> {
  const kubeconfig = join(cluster.directory, "data", "server", "admin.kubeconfig");
  const asked = [launcher, "vip", "status", `--kubeconfig=${kubeconfig}`, "--output=json"];
  try {
    return JSON.parse((await cluster.in("outside").run(asked)).stdout) as VipStatus[];
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== 1) throw error;
    // The command connects through the VIPs, which may be moving to another control plane.
    return error.stdout === "" ? [] : (JSON.parse(error.stdout) as VipStatus[]);
  }
}

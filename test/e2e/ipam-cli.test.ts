// `tandem ipam` on what the plugin has reserved.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { callCni } from "../fixtures/ipam.ts";

const commands = systemCommands();
const scratch = mkdtempSync(join(tmpdir(), "tandem-ipam-"));
after(() => rmSync(scratch, { recursive: true }));

const launcher = join(import.meta.dirname, "../../bin/tandem");
const dataDir = join(scratch, "data");
const network = {
  cniVersion: "1.0.0",
  name: "net",
  type: "bridge",
  ipam: {
    type: "tandem-ipam",
    datastore: "local",
    data_dir: dataDir,
    node_name: "here",
    ipRanges: [{ range: "10.9.0.0/28" }, { range: "fd09::/64" }],
  },
};

async function tandemIpam(...args: readonly string[]): Promise<string> {
  const { stdout } = await commands.run([launcher, "ipam", ...args]);
  return stdout;
}

test("[IPAM-10] show, reconcile, release and import", { timeout: 120_000 }, async () => {
  const configuration = join(scratch, "net.conf");
  writeFileSync(configuration, JSON.stringify(network));
  for (const pod of ["living", "gone", "also-gone"]) {
    const netns = join(scratch, pod);
    if (pod === "living") symlinkSync("/proc/self/ns/net", netns);
    await callCni(commands, { command: "ADD", network, container: `c-${pod}`, netns, pod });
  }

  const shown = await tandemIpam("show", "--cni-config", configuration);
  assert.match(shown, /10.9.0.0-28 +10.9.0.0\/28 +3 +0 +14 +\[#### +\] 21.42%/);
  assert.match(shown, /fd09::2 +default\/gone +eth0 +c-gone +here/);

  const freed = await tandemIpam("reconcile", "--data-dir", dataDir, "--node-name", "here");
  assert.deepEqual(freed.trim().split("\n").toSorted(), [
    "released 10.9.0.2 of default/gone from 10.9.0.0-28",
    "released 10.9.0.3 of default/also-gone from 10.9.0.0-28",
    "released fd09::2 of default/gone from fd09---64",
    "released fd09::3 of default/also-gone from fd09---64",
  ]);

  await assert.rejects(
    tandemIpam("release", "fd09::1", "fd09::7", "--data-dir", dataDir),
    (error) =>
      error instanceof CommandError &&
      error.exitCode === 1 &&
      error.stdout.startsWith("released fd09::1 of default/living") &&
      error.stderr.includes("fd09::7 was not reserved"),
  );

  const pools = join(scratch, "pools.yaml");
  const allocations = "{'1': {id: x, podref: a/b}, '5': {id: y, podref: a/c, ifname: net1}}";
  writeFileSync(
    pools,
    `kind: IPPool\nmetadata: {name: 10.9.0.0-28}\nspec:\n  range: 10.9.0.0/28\n  allocations: ${allocations}\n`,
  );
  await assert.rejects(
    tandemIpam("import", pools, "--data-dir", dataDir),
    (error) =>
      error instanceof CommandError &&
      error.stdout === "1 imported, 0 were there already\n" &&
      error.stderr.includes("10.9.0.1 of a/b is refused"),
  );
  const listed = JSON.parse(await tandemIpam("show", "--data-dir", dataDir, "-o", "json")) as {
    reservations: { address: string; owner: string }[];
  };
  assert.deepEqual(
    listed.reservations.map(({ address, owner }) => `${address} ${owner}`),
    ["10.9.0.1 default/living", "10.9.0.5 a/c"],
  );
});

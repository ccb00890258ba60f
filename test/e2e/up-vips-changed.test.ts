// Virtual addresses that were added to a cluster while it ran: it goes on with them, whatever happens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../../src/base/host/error.ts";
import { disposableCluster, says, type TestCluster } from "./cluster.fixture.ts";
import { checkAddresses, vipStatus } from "./control-planes.fixture.ts";

const both = ["192.168.111.5", "fd00:111::5"];

test("[VIP-9, VIP-7] a cluster goes on with virtual addresses that were added at run time", async () => {
  const first = { apiVips: "192.168.111.5", ingressVips: "192.168.111.6" };
  await using cluster = await disposableCluster({
    controlPlanes: 3,
    nodes: 1,
    dns: false,
    ...first,
  });
  await cluster.up();
  await checkAddresses(cluster, both.slice(0, 1));
  const spec = {
    platformSpec: {
      baremetal: { apiServerInternalIPs: both, ingressIPs: ["192.168.111.6", "fd00:111::6"] },
    },
  };
  const patch = ["patch", "infrastructure", "cluster", "--type=merge"];
  await cluster.kubectl.run(...patch, `--patch=${JSON.stringify({ spec })}`);
  await checkAddresses(cluster, both);

  for (const program of ["keepalived", "haproxy"]) {
    await killOnHolder(cluster, program);
    await checkAddresses(cluster, both);
  }
  const holder = await holderOf(cluster);
  const uid = ["get", "node", holder, "-o", "jsonpath={.metadata.uid}", "--ignore-not-found"];
  const before = await cluster.kubectl.run(...uid);
  await cluster.kubectl.run("delete", "node", holder);
  await cluster.until(`${holder} is registered anew`, async () => {
    const now = await cluster.kubectl.run(...uid);
    return now !== "" && now !== before ? true : undefined;
  });
  await checkAddresses(cluster, both);

  await cluster.down("--keep-data");
  const named = (api: string, ingress: string) =>
    cluster.tandem([
      "up",
      "--detach",
      `--data-dir=${cluster.directory}/data`,
      "--port=0",
      `--api-vips=${api}`,
      `--ingress-vips=${ingress}`,
    ]);
  await assert.rejects(
    named("192.168.111.7,fd00:111::5", "192.168.111.6,fd00:111::6"),
    says(/Cannot use apiVips=192\.168\.111\.7,fd00:111::5/),
  );
  await named(both.join(), "192.168.111.6,fd00:111::6");
  await checkAddresses(cluster, both);
});

async function holderOf(cluster: TestCluster): Promise<string> {
  return await cluster.until("one control plane holds the pair", async () => {
    const rows = (await vipStatus(cluster)).filter(({ use }) => use === "api");
    const holders = new Set(rows.flatMap(({ holders: all }) => all.map(({ node }) => node)));
    return holders.size === 1 ? [...holders][0] : undefined;
  });
}

/** Only those in the network of the holder, which all nodes' processes share a machine with. */
async function killOnHolder(cluster: TestCluster, program: string): Promise<void> {
  const commands = cluster.in(await holderOf(cluster));
  const script = `for pid in $(pgrep --exact ${program}); do
    [ "$(readlink /proc/$pid/ns/net)" = "$(readlink /proc/self/ns/net)" ] && kill -KILL $pid && echo $pid
  done; true`;
  const { stdout } = await commands.run(["sh", "-c", script]).catch((error: unknown) => {
    if (error instanceof CommandError) throw new Error(error.stderr, { cause: error });
    throw error;
  });
  assert.notEqual(stdout, "", `${program} ran`);
}

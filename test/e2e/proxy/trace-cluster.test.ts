import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CommandError } from "../../../src/base/host/error.ts";
import { defined } from "../../../src/base/json/defined.ts";
import { families } from "../../../src/base/net/family.ts";
import { type TestCluster, withCluster } from "../cluster.fixture.ts";

const nobody = 65_534;
const isSoak = process.env["TANDEM_SOAK"] === "1";

/** What is said, and the exit code. */
async function trace(
  cluster: TestCluster,
  ...words: readonly string[]
): Promise<readonly [string, number]> {
  try {
    return [await cluster.tandem(["trace", ...words]), 0];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [error.stdout + error.stderr, error.exitCode ?? -1];
  }
}

describe("tandem trace in a cluster", { timeout: 240_000 }, () => {
  for (const user of isSoak ? [undefined, nobody] : [nobody]) {
    test(user === undefined ? "of root" : "of an ordinary user", () =>
      withCluster({ nodes: 2, ...defined({ user }) }, async (cluster) => {
        const pods = [
          "get",
          "pods",
          "-n",
          "kube-system",
          "-o",
          "jsonpath={.items[*].metadata.name}",
        ];
        const pod = await cluster.until("a pod that runs", async () => {
          const [name] = (await cluster.kubectl.run(...pods)).split(" ");
          return name || undefined;
        });

        const service = await cluster.until("a service that is served", async () => {
          const [said, code] = await trace(cluster, "node/node-2", "kube-system/kube-dns:dns-tcp");
          return code === 0 ? said : undefined;
        });
        for (const family of families) {
          assert.match(service, new RegExp(`^${family}, tcp from .*: delivered$`, "m"));
        }
        assert.match(service, new RegExp(`^pod kube-system/${pod}$`, "m"));
        assert.match(service, /vmap @services/);

        const [port, noListener] = await trace(
          cluster,
          "outside",
          "node/node-1:99",
          "--family=IPv6",
        );
        assert.match(port, /^IPv6, tcp from \S+ to \S+: no-listener$/m);
        assert.doesNotMatch(port, /^IPv4/m);
        assert.equal(noListener, 1);

        const rules =
          "add table inet foreign ; add chain inet foreign check " +
          "{ type filter hook forward priority 0 ; } ; add rule inet foreign check tcp dport 53 drop";
        const where = ["get", "pod", pod, "-n", "kube-system", "-o", "jsonpath={.spec.nodeName}"];
        const home = await cluster.kubectl.run(...where);
        await cluster.in(home).run(["nft", rules]);
        const [dropped] = await trace(
          cluster,
          home === "node-1" ? "node/node-2" : "node/node-1",
          `pod/kube-system/${pod}:53`,
          "--family=IPv4",
          "--output=json",
        );
        const [report] = JSON.parse(dropped) as readonly { verdict: Record<string, unknown> }[];
        assert.equal(report?.verdict["kind"], "dropped");
        assert.equal(report?.verdict["place"], home);

        for (const place of ["node-1", "node-2", `kube-system/${pod}`, "outside", "server"]) {
          const { stdout } = await cluster.in(place).run(["nft", "list", "tables"]);
          assert.doesNotMatch(stdout, /tandem-trace/, `nothing stays behind in ${place}`);
        }
        const [unknown] = await trace(cluster, "node/node-9", "node/node-1:99");
        assert.match(unknown, /Cannot find node-9: there is no such node/);
      }),
    );
  }
});

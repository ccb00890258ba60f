import assert from "node:assert/strict";
import { test } from "node:test";
import { systemCommands } from "../../src/host/command.system.ts";
import { CommandError } from "../../src/host/error.ts";
import { prepareCluster, withCluster } from "./cluster.fixture.ts";
import { hostNetwork } from "./cluster-traces.fixture.ts";

const ranges = {
  podCidr: "10.201.0.0/16,fd00:aced:1::/56",
  serviceCidr: "10.202.0.0/16,fd00:aced:2::/112",
  nodeCidr: "10.203.0.0/24,fd00:aced:3::/64",
};

test("with host access the machine has routes into the cluster, and none afterwards", async () => {
  const before = await hostNetwork();
  await withCluster({ nodes: 1, dns: false, hostAccess: true, ...ranges }, async () => {
    for (const [family, destinations] of [
      ["-4", ["10.203.0.11", "10.201.0.7", "10.202.0.1"]],
      ["-6", ["fd00:aced:3::b", "fd00:aced:1::7", "fd00:aced:2::1"]],
    ] as const) {
      for (const destination of destinations) {
        const { stdout } = await systemCommands().run(["ip", family, "route", "get", destination]);
        assert.match(stdout, / dev td-/, stdout);
      }
    }
    for (const host of ["10.203.0.2", "[fd00:aced:3::2]"]) {
      const asked = ["curl", "--silent", "--insecure", `https://${host}:6443/healthz`];
      assert.equal((await systemCommands().run(asked)).stdout, "ok");
    }
  });
  assert.equal(await hostNetwork(), before);
});

test("host access to where the machine has a route already is refused", async () => {
  await withCluster({ nodes: 1, dns: false, hostAccess: true, ...ranges }, async () => {
    const other = await prepareCluster({ nodes: 1, dns: false, hostAccess: true, ...ranges });
    await assert.rejects(
      other.up(),
      (error) => error instanceof CommandError && /podCidr=10\.201\.0\.0\/16/.test(error.stderr),
    );
  });
});

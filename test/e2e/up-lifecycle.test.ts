import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { launcher } from "../../src/programs/up/programs.ts";
import { disposableCluster, says } from "./cluster.fixture.ts";
import {
  hostNetwork,
  mentionsOf,
  namespacesAround,
  pidsOf,
  untilGone,
} from "./cluster-traces.fixture.ts";
import { echoPod, runPods } from "./connectivity.fixture.ts";

test("up and down leave nothing behind, nor do they touch the machine's network", async () => {
  const before = await hostNetwork();
  await using cluster = await disposableCluster({ nodes: 1 });
  await cluster.up();
  await runPods(cluster, [echoPod({ name: "a", node: "node-1", hostPort: 8080 })]);
  const namespaces = await namespacesAround(await pidsOf(cluster));
  assert.ok(namespaces.size >= 5, `it lives in ${[...namespaces].join(", ")}`);
  assert.equal(await hostNetwork(), before);
  assert.match(await cluster.up(), /is up already/);

  assert.match(await cluster.down(), /is down/);
  await untilGone(namespaces);
  assert.deepEqual(await mentionsOf(cluster.name), []);
  assert.deepEqual(await mentionsOf(cluster.directory), []);
  assert.equal(await hostNetwork(), before);
  await assert.rejects(access(join(cluster.directory, "data")), { code: "ENOENT" });
  assert.match(await cluster.down(), /There is no cluster/);
});

test("stopped with its data kept, it comes up as it was", async () => {
  await using cluster = await disposableCluster({ nodes: 1, dns: false });
  await cluster.up();
  await cluster.kubectl.run("create", "configmap", "kept", "--from-literal=a=b");
  const before = await cluster.kubectl.run("get", "node", "node-1", "-o", cidrsAndUid);
  await cluster.down("--keep-data");
  await assert.rejects(cluster.status(), says(/it does not run/));
  await cluster.up();
  assert.equal(await cluster.kubectl.run("get", "node", "node-1", "-o", cidrsAndUid), before);
  assert.match(await cluster.kubectl.run("get", "configmap", "kept", "-o", "yaml"), /a: b/);
});

test("in the foreground, the cluster ends with the command, which keeps its data", async () => {
  await using cluster = await disposableCluster({ nodes: 1, dns: false });
  const said: string[] = [];
  const up = await systemCommands().start(
    [launcher, "up", `--data-dir=${join(cluster.directory, "data")}`, "--port=0", "--nodes=1"],
    { environment: { TANDEM_CLUSTER: cluster.name }, onLine: (line) => said.push(line) },
  );
  try {
    await cluster.until("it is up", async () =>
      said.some((line) => line.endsWith("is up.")) ? true : undefined,
    );
    const namespaces = await namespacesAround(await pidsOf(cluster));
    process.kill(up.pid, "SIGINT");
    assert.deepEqual(await up.exited, { code: 0 }, said.join("\n"));
    await untilGone(namespaces);
    await assert.rejects(cluster.status(), says(/it does not run/));
    await access(join(cluster.directory, "data", "server"));
  } finally {
    await up.stop();
  }
});

test("[KADM-2] bad ranges are refused before anything is made", async () => {
  await using cluster = await disposableCluster({ nodes: 1, dns: false });
  const up = (...flags: string[]) => cluster.tandem(["up", "--detach", ...flags]);
  await assert.rejects(up("--pod-cidr=10.1.0.0/16,10.2.0.0/16"), says(/podCidr=.* both IPv4/));
  await assert.rejects(up("--pod-cidr=10.0.0.0/8"), says(/podCidr=10\.0\.0\.0\/8: it overlaps/));
  await assert.rejects(up("--pod-cidr=10.1.0.0/23"), says(/room for 2 of \/24, .* 3 nodes/));
  assert.match(await cluster.down(), /There is no cluster/);
});

const cidrsAndUid = "jsonpath={.metadata.uid} {.spec.podCIDRs}";

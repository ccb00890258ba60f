import assert from "node:assert/strict";
import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { processesAround } from "../../src/cluster/processes.ts";
import { launcher } from "../../src/cluster/programs.ts";
import { systemCommands } from "../../src/host/command.system.ts";
import { CommandError } from "../../src/host/error.ts";
import { prepareCluster, type TestCluster } from "./cluster.fixture.ts";
import { hostNetwork, mentionsOf, namespacesAround, untilGone } from "./cluster-traces.fixture.ts";

test("up and down leave nothing behind, nor do they touch the machine's network", async () => {
  const before = await hostNetwork();
  await using cluster = await disposable();
  await cluster.up();
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

test("programs that are killed come back, and the nodes with them", async () => {
  await using cluster = await disposable();
  await cluster.up();
  const uid = await nodeUid(cluster);
  for (const name of ["server", "node-1"]) {
    const { pid = 0 } = await programOf(cluster, name);
    process.kill(pid, "SIGKILL");
    await cluster.until(`${name} runs again`, async () => {
      const program = await programOf(cluster, name);
      return program.isRunning && program.restarts === 1 ? true : undefined;
    });
  }
  await cluster.until("the node is ready", async () => {
    const { nodes } = await cluster.status();
    return nodes.length === 1 && nodes.every(({ isReady }) => isReady) ? true : undefined;
  });
  assert.equal(await nodeUid(cluster), uid);
});

for (const victim of ["supervisor", "everything"]) {
  test(`when ${victim} is killed, nothing is left running, and up continues`, async () => {
    await using cluster = await disposable();
    await cluster.up();
    const uid = await nodeUid(cluster);
    const pids = await pidsOf(cluster);
    const namespaces = await namespacesAround(pids);
    const { pid = 0 } = await programOf(cluster, "supervisor");
    for (const each of victim === "supervisor" ? [pid] : pids) process.kill(each, "SIGKILL");
    await untilGone(namespaces);
    await assert.rejects(cluster.status(), says(/it does not run/));
    assert.match(await cluster.up(), /is up\./);
    assert.equal(await nodeUid(cluster), uid);
    await cluster.down();
    assert.deepEqual(await mentionsOf(cluster.directory), []);
  });
}

test("stopped with its data kept, it comes up as it was", async () => {
  await using cluster = await disposable();
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
  await using cluster = await disposable();
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

test("an up that is killed half-way leaves nothing behind", async () => {
  await using cluster = await disposable();
  const killed = cluster.tandem(
    ["up", `--data-dir=${join(cluster.directory, "data")}`, "--port=0", "--nodes=1"],
    { timeoutMs: 700 },
  );
  await assert.rejects(killed, says(/not done in 700 ms/));
  await cluster.down();
  await cluster.until("everything has ended", async () =>
    (await mentionsOf(cluster.directory)).length === 0 ? true : undefined,
  );
  await assert.rejects(access(join(cluster.directory, "data")), { code: "ENOENT" });
});

test("[KADM-2] bad ranges are refused before anything is made", async () => {
  await using cluster = await disposable();
  const up = (...flags: string[]) => cluster.tandem(["up", "--detach", ...flags]);
  await assert.rejects(up("--pod-cidr=10.1.0.0/16,10.2.0.0/16"), says(/podCidr=.* both IPv4/));
  await assert.rejects(up("--pod-cidr=10.0.0.0/8"), says(/podCidr=10\.0\.0\.0\/8: it overlaps/));
  await assert.rejects(up("--pod-cidr=10.1.0.0/23"), says(/room for 2 of \/24, .* 3 nodes/));
  assert.match(await cluster.down(), /There is no cluster/);
});

const cidrsAndUid = "jsonpath={.metadata.uid} {.spec.podCIDRs}";

interface DisposableCluster extends TestCluster, AsyncDisposable {
  down(...flags: string[]): Promise<string>;
}

async function disposable(): Promise<DisposableCluster> {
  const cluster = await prepareCluster({ nodes: 1 });
  const dataDir = `--data-dir=${join(cluster.directory, "data")}`;
  const down = (...flags: string[]) => cluster.tandem(["down", dataDir, ...flags]);
  return {
    ...cluster,
    down,
    [Symbol.asyncDispose]: async () => {
      await down();
      await rm(cluster.directory, { recursive: true, force: true });
    },
  };
}

async function programOf(cluster: TestCluster, name: string) {
  const { programs } = await cluster.status();
  const found = programs.find((program) => program.name === name);
  assert.ok(found !== undefined, `there is a program ${name}`);
  return found;
}

async function pidsOf(cluster: TestCluster): Promise<readonly number[]> {
  const { pid = 0 } = await programOf(cluster, "supervisor");
  return (await processesAround(pid)).map((each) => each.pid);
}

async function nodeUid(cluster: TestCluster): Promise<string> {
  return await cluster.kubectl.run("get", "node", "node-1", "-o", "jsonpath={.metadata.uid}");
}

function says(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof CommandError && message.test(`${error.message} ${error.stderr}`);
}

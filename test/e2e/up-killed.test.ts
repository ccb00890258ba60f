import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { kill } from "../../src/programs/up/processes.ts";
import { disposableCluster, says, type TestCluster } from "./cluster.fixture.ts";
import {
  killProgram,
  mentionsOf,
  namespacesAround,
  pidsOf,
  programOf,
  untilGone,
} from "./cluster-traces.fixture.ts";

test("programs that are killed come back, and the nodes with them", async () => {
  await using cluster = await disposableCluster({ nodes: 1, dns: false });
  await cluster.up();
  const uid = await nodeUid(cluster);
  for (const name of ["server", "node-1"]) {
    await killProgram(cluster, name);
    await cluster.until(`${name} runs again`, async () => {
      const program = await programOf(cluster, name);
      return program.isRunning && program.restarts > 0 ? true : undefined;
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
    await using cluster = await disposableCluster({ nodes: 1, dns: false });
    await cluster.up();
    const uid = await nodeUid(cluster);
    const namespaces = await namespacesAround(await pidsOf(cluster));
    if (victim === "supervisor") await killProgram(cluster, victim);
    // With the first all others end, some of them before it is their turn.
    else for (const pid of await pidsOf(cluster)) kill(pid, "SIGKILL");
    await untilGone(namespaces);
    await assert.rejects(cluster.status(), says(/it does not run/));
    assert.match(await cluster.up(), /is up\./);
    assert.equal(await nodeUid(cluster), uid);
    await cluster.down();
    assert.deepEqual(await mentionsOf(cluster.directory), []);
  });
}

for (const timeoutMs of [150, 300, 500, 800, 1500]) {
  test(`an up that is killed after ${timeoutMs} ms leaves nothing behind`, async () => {
    await using cluster = await disposableCluster({ nodes: 1, dns: false });
    const dataDir = join(cluster.directory, "data");
    const up = ["up", `--data-dir=${dataDir}`, "--port=0", "--nodes=1"];
    await assert.rejects(cluster.tandem(up, { timeoutMs }), says(/not done in/));
    await cluster.down();
    await cluster.until("everything has ended", async () =>
      (await mentionsOf(cluster.directory)).length === 0 ? true : undefined,
    );
    await assert.rejects(access(dataDir), { code: "ENOENT" });
  });
}

async function nodeUid(cluster: TestCluster): Promise<string> {
  return await cluster.kubectl.run("get", "node", "node-1", "-o", "jsonpath={.metadata.uid}");
}

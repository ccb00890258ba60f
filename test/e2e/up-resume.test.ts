import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import { killProgram } from "./cluster-traces.fixture.ts";
import { addressOf, ask, echoPod, runPods } from "./connectivity.fixture.ts";

const pods = [
  echoPod({ name: "a", node: "node-1" }),
  echoPod({ name: "b", node: "node-1" }),
  echoPod({ name: "c", node: "node-2" }),
];
const identity =
  "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.status.podIPs[*].ip}{'\\n'}{end}";

for (const ipam of ["host-local", "tandem"]) {
  test(`[CNI-5] brought up again, pods are the same, with the same addresses by ${ipam}`, async () => {
    await withCluster({ nodes: 2, dns: false, ipam }, async (cluster) => {
      await runPods(cluster, pods);
      // Of three addresses the one in the middle is free, and would be the next to be given away.
      await cluster.kubectl.run("delete", "pod", "a", "--now");
      const before = await cluster.kubectl.run("get", "pods", "-o", identity);
      await cluster.tandem([
        "down",
        "--keep-data",
        `--data-dir=${join(cluster.directory, "data")}`,
      ]);
      await cluster.up();
      const found = await runPods(cluster, []);
      assert.equal(await cluster.kubectl.run("get", "pods", "-o", identity), before);
      for (const family of families) {
        const address = addressOf(found.get("c"), family);
        const { client } = await ask(cluster, "default/b", { address });
        assert.equal(client.address, addressOf(found.get("b"), family));
      }
    });
  });
}

test("pods run on while agents and the server are killed", async () => {
  await withCluster({ nodes: 1, dns: false }, async (cluster) => {
    await runPods(cluster, [echoPod({ name: "a", node: "node-1" })]);
    const started = await startTimes(cluster);
    for (const name of ["node-1", "server"]) {
      await killProgram(cluster, name);
      await cluster.until(`${name} is back`, async () => {
        const now = await cluster.status();
        const program = now.programs.find((each) => each.name === name);
        return program?.isRunning && program.restarts > 0 && now.nodes[0]?.isReady
          ? true
          : undefined;
      });
    }
    await runPods(cluster, []);
    assert.equal(await startTimes(cluster), started);
  });
});

async function startTimes(cluster: TestCluster): Promise<string> {
  const path = "{.status.containerStatuses[*].state.running.startedAt}";
  return await cluster.kubectl.run("get", "pod", "a", "-o", `jsonpath=${path}`);
}

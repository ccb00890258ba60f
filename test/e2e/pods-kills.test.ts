// The agent and the server are killed again and again while pods come and go.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../src/api/types/core.ts";
import { isReady, openPodNode, type PodNode } from "./pods.fixture.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 50 : 3;
const timeout = rounds * 80_000;

/** Everything about a pod that must outlive its agent. */
function essence({ status }: Pod) {
  const { containerStatuses = [], podIPs } = status ?? {};
  return {
    podIPs,
    containers: containerStatuses.map(({ containerID, restartCount }) => ({
      containerID,
      restartCount,
    })),
  };
}

test("[CNI-5] kills cost no pod its life or its addresses, and leave nothing", {
  timeout,
}, async () => {
  await using node = await openPodNode();
  const before = new Map<string, ReturnType<typeof essence>>();
  for (const name of ["stays-1", "stays-2"]) before.set(name, essence(await node.run(name, {})));
  for (let round = 0; round < rounds; round++) {
    const names = [0, 1, 2].map((number) => `comes-${round}-${number}`);
    await Promise.all(names.map((name) => node.create(name, { script: "sleep 1000" })));
    await kill(node, round);
    for (const name of names) await node.until(name, isReady);
    // These are on their way out when the next kill comes.
    for (const name of names) await node.pods.delete({ namespace: "default", name });
  }
  for (const [name, was] of before) assert.deepEqual(essence(await node.until(name, isReady)), was);
  await node.eventually("only two to be left", async () => {
    const { items } = await node.pods.list({ namespace: "default" });
    return items.length === before.size;
  });
  await node.pods.deleteCollection({ namespace: "default" });
  await node.eventually("nothing to be left", async () => (await node.traces()).length === 0);
});

/** The agent, the server, or both. */
async function kill({ node, cluster }: PodNode, round: number): Promise<void> {
  const victims = [[node.agent], [cluster.server], [node.agent, cluster.server]][round % 3] ?? [];
  await Promise.all(victims.map((victim) => victim.kill()));
  await Promise.all(victims.map((victim) => victim.start()));
}

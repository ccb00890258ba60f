// A machine without cgroups runs no container that is to have one, and its node says so.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isReady, nodeNamed, openAgentCluster, until } from "./agent.fixture.ts";

const without = 'umount --lazy --recursive /sys/fs/cgroup; exec "$@"';

test("[NODE-4] a node whose containers would fail for want of cgroups is not ready, and says why", async () => {
  await using cluster = await openAgentCluster();
  const node = await cluster.begin("node-1", ["192.0.2.1/24", "2001:db8::1/64"], {
    under: ["unshare", "--mount", "sh", "-c", without, "sh"],
    words: ["--cgroup-parent=/tandem-test"],
  });
  const condition = async () => {
    const found = await nodeNamed(cluster.client, "node-1");
    return found?.status?.conditions?.find(({ type }) => type === "Ready");
  };
  await until("a node that says why", node.agent, async () =>
    /Cannot run containers: no cgroup hierarchy is mounted/.test(
      (await condition())?.message ?? "",
    ),
  );
  assert.equal((await condition())?.status, "False");
  assert.equal(isReady(await nodeNamed(cluster.client, "node-1")), false);
});

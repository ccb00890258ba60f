// A node is reached at its own address, whatever else is on its links when its agent starts again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeNamed, openAgentCluster, until } from "./agent.fixture.ts";

test("[INST-2] an agent that is killed while its machine announces addresses comes back with its own", async () => {
  await using cluster = await openAgentCluster();
  const { client } = cluster;
  const node = await cluster.join("node-1", ["192.0.2.1/24", "2001:db8::1/64"]);
  const state = async () => {
    const found = await nodeNamed(client, "node-1");
    const ready = found?.status?.conditions?.find(({ type }) => type === "Ready");
    const addresses = (found?.status?.addresses ?? [])
      .filter(({ type }) => type === "InternalIP")
      .map(({ address }) => address);
    return { addresses, beat: ready?.lastHeartbeatTime, bootID: found?.status?.nodeInfo?.bootID };
  };
  const before = await state();
  assert.deepEqual(before.addresses, node.addresses);

  // As balancers and keepalived announce them; a link lists its latest IPv6 address first.
  const announced = [
    "address add 2001:db8::55/128 dev eth0 nodad valid_lft 300 preferred_lft 0",
    "address add 2001:db8::56/128 dev eth0 nodad",
  ];
  const vips = [
    "address flush dev eth0 scope global",
    "address add 192.0.2.55/32 dev eth0",
    "address add 192.0.2.1/24 dev eth0",
    "address add 2001:db8::1/64 dev eth0 nodad",
    ...announced,
  ];
  await node.agent.kill();
  await node.host.ip.batch(vips);
  for (const forget of [false, true]) {
    // A machine that has never been a node finds out as well.
    if (forget) await node.host.commands.run(["rm", `${node.dataDir}/addresses`]);
    const { beat } = await state();
    await node.agent.start();
    await until("another heartbeat", node.agent, async () => (await state()).beat !== beat);
    assert.deepEqual((await state()).addresses, node.addresses, node.agent.output());
    await node.agent.kill();
  }
});

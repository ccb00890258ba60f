import assert from "node:assert/strict";
import { test } from "node:test";
import { withCluster } from "./cluster.fixture.ts";

test("a cluster comes up with nodes of both families, and its hosts reach each other", async () => {
  await withCluster({ nodes: 2 }, async (cluster) => {
    const { nodes, programs } = await cluster.status();
    assert.deepEqual(
      nodes.map(({ name, isReady, addresses }) => ({ name, isReady, addresses })),
      [
        { name: "node-1", isReady: true, addresses: ["192.168.111.11", "fd00:111::b"] },
        { name: "node-2", isReady: true, addresses: ["192.168.111.12", "fd00:111::c"] },
      ],
    );
    assert.deepEqual(
      programs.map(({ name, isRunning }) => [name, isRunning]),
      ["supervisor", "server", "node-1", "node-2"].map((name) => [name, true]),
    );
    const text = await cluster.kubectl.run("get", "nodes", "-o", "name");
    assert.equal(text, "node/node-1\nnode/node-2\n");
    const { stdout } = await cluster.in("outside").run(["ip", "-6", "route", "show", "default"]);
    assert.match(stdout, /default via 2001:db8:113::1 dev eth0/);
  });
});

// Addresses of load balancers while the API is away, and after the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { families } from "../../src/net/family.ts";
import { describeBalancers } from "./balancer.fixture.ts";

describeBalancers("load balancers without an API", 2, (given) => {
  test("addresses stay while the API is away, and nothing is left behind at the end", async () => {
    const { lab } = given;
    const addresses = await lab.balance("steady", { nodes: lab.nodes });
    for (const family of families) await lab.answers(addresses[family]);
    const holder = await lab.holder(addresses.IPv4);
    await lab.stopServer();
    // Longer than leases last.
    const end = Date.now() + 8_000;
    while (Date.now() < end) {
      assert.equal(await holder.has(addresses.IPv4), true);
      assert.equal(await holder.has(addresses.IPv6), true);
    }
    await lab.startServer();
    // Nobody gives anything up over its return.
    const later = Date.now() + 6_000;
    while (Date.now() < later) {
      assert.equal(await holder.has(addresses.IPv4), true);
      for (const family of families) await lab.answers(addresses[family]);
    }
    for (const node of lab.nodes) await node.announcer?.stop();
    for (const node of lab.nodes) {
      assert.equal(await node.has(addresses.IPv4), false);
      assert.equal(await node.has(addresses.IPv6), false);
      const { stdout } = await node.host.commands.run(["nft", "list", "tables"]);
      assert.doesNotMatch(stdout, /tandem_balancer/);
    }
  });
});

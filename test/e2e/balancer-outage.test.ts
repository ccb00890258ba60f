// Addresses of load balancers while the API is away, and after the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { describeBalancers } from "./balancer.fixture.ts";

describeBalancers("load balancers without an API", 2, (given) => {
  test("addresses stay while the API is away, and nothing is left behind at the end", async () => {
    const { lab } = given;
    const addresses = await lab.balance("steady", { nodes: lab.nodes });
    for (const family of families) await lab.answers(addresses[family]);
    const holder = await lab.settled("steady", addresses);
    const stay = async () => {
      for (const family of families) {
        // The kernel takes it from a node that stands still for long, which then puts it back itself.
        await lab.until(() => holder.has(addresses[family]), `${addresses[family]} is gone`);
        for (const node of lab.nodes.filter((each) => each !== holder)) {
          assert.equal(await node.has(addresses[family]), false, node.name);
        }
      }
    };
    await lab.stopServer();
    // Longer than leases last.
    const end = Date.now() + 8_000;
    while (Date.now() < end) await stay();
    const heard = lab.output.length;
    await lab.startServer();
    // Nobody gives anything up over its return.
    const later = Date.now() + 6_000;
    while (Date.now() < later) {
      await stay();
      for (const family of families) await lab.answers(addresses[family]);
    }
    const moves = /Took addresses|Gave addresses up|they take over/;
    assert.deepEqual(
      lab.output.slice(heard).filter((line) => moves.test(line)),
      [],
    );
    for (const node of lab.nodes) await node.announcer?.stop();
    for (const node of lab.nodes) {
      assert.equal(await node.has(addresses.IPv4), false);
      assert.equal(await node.has(addresses.IPv6), false);
      const { stdout } = await node.host.commands.run(["nft", "list", "tables"]);
      assert.doesNotMatch(stdout, /tandem_balancer/);
    }
  });
});

// Addresses of load balancers while the API is away, and after the end.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { families } from "../../src/net/family.ts";
import { type BalancerLab, type BalancerNode, openBalancerLab } from "./balancer.fixture.ts";

describe("load balancers without an API", () => {
  let lab: BalancerLab;
  let all: readonly BalancerNode[];
  before(async () => {
    lab = await openBalancerLab(2);
    all = lab.nodes;
  });
  after(async () => lab[Symbol.asyncDispose]());

  const answers = (address: string) =>
    lab.until(async () => (await lab.ask(address)) !== "", `${address} does not answer`);

  test("addresses stay while the API is away, and nothing is left behind at the end", async () => {
    const addresses = await lab.balance("steady", { nodes: all });
    for (const family of families) await answers(addresses[family]);
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
      for (const family of families) await answers(addresses[family]);
    }
    for (const node of all) await node.announcer?.stop();
    for (const node of all) {
      assert.equal(await node.has(addresses.IPv4), false);
      assert.equal(await node.has(addresses.IPv6), false);
      const { stdout } = await node.host.commands.run(["nft", "list", "tables"]);
      assert.doesNotMatch(stdout, /tandem_balancer/);
    }
  });
});

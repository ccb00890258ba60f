// Services of type LoadBalancer as a host outside meets them: their addresses on a LAN of real nodes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { describeBalancers } from "./balancer.fixture.ts";

describeBalancers("load balancers", 2, (given) => {
  test("[ING-2, MODEL-4] an address of each family is reached from outside, at one node", async () => {
    const { lab } = given;
    const addresses = await lab.balance("web", { nodes: lab.nodes });
    for (const family of families) {
      await lab.answers(addresses[family]);
      await lab.holder(addresses[family]);
    }
    await lab.settled("web", addresses);
  });

  test("[ING-2] two services, one of each family, share the same pods", async () => {
    const { lab } = given;
    for (const [name, family] of [
      ["only-four", "IPv4"],
      ["only-six", "IPv6"],
    ] as const) {
      const { [family]: address } = await lab.balance(name, {
        nodes: lab.nodes,
        families: [family],
      });
      await lab.answers(address);
    }
  });

  test("ports that are no service's do not lead to programs of the node", async () => {
    const { lab } = given;
    const { IPv4, IPv6 } = await lab.balance("guarded", { nodes: lab.nodes });
    for (const address of [IPv4, IPv6]) {
      await lab.answers(address);
      const holder = await lab.holder(address);
      assert.equal(await lab.ask(address, 8080), "", `${holder.name} answers for itself`);
    }
    await lab.answers(lab.nodes[0]?.addresses.IPv4 ?? "", 8080);
  });

  test("[ING-2] an address with externalTrafficPolicy Local is where endpoints are", async () => {
    const { lab } = given;
    const [first, second] = lab.nodes;
    assert.ok(first !== undefined && second !== undefined);
    for (const node of [first, second]) {
      const addresses = await lab.balance("local", { nodes: [node], policy: "Local" });
      for (const family of families) {
        const isThere = async () => (await lab.holder(addresses[family])) === node;
        await lab.until(isThere, `${addresses[family]} is not at ${node.name}`);
        const isAnswered = async () => (await lab.ask(addresses[family])) === node.name;
        await lab.until(isAnswered, `${node.name} does not answer`);
      }
    }
    const addresses = await lab.balance("local", { nodes: [], policy: "Local" });
    for (const node of lab.nodes) {
      const isGone = async () =>
        !(await node.has(addresses.IPv4)) && !(await node.has(addresses.IPv6));
      await lab.until(isGone, `${node.name} has an address nobody is behind`);
    }
  });
});

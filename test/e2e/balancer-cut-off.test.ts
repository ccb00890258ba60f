// A node that the LAN reaches, but that does not reach the API.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { families } from "../../src/net/family.ts";
import { type BalancerLab, openBalancerLab } from "./balancer.fixture.ts";

const wall = `table inet wall {
  chain output {
    type filter hook output priority filter; policy accept;
    ip daddr 192.168.78.2 drop
  }
}`;

describe("load balancers of a node that is cut off", () => {
  let lab: BalancerLab;
  before(async () => {
    lab = await openBalancerLab(2);
  });
  after(async () => lab[Symbol.asyncDispose]());

  test("[ING-2] it lets go of what others can take over, and gets it back", async () => {
    const addresses = await lab.balance("web", { nodes: lab.nodes });
    const cutOff = await lab.holder(addresses.IPv4);
    await cutOff.host.commands.run(["nft", "-f", "-"], { stdin: wall });
    for (const family of families) {
      const hasMoved = async () => (await lab.holder(addresses[family])) !== cutOff;
      await lab.until(hasMoved, `${addresses[family]} stays where it is`);
      const isAnswered = async () => (await lab.ask(addresses[family])) !== "";
      await lab.until(isAnswered, `${addresses[family]} does not answer`);
    }
    assert.ok(lab.output.some((line) => line.includes("they take over")));
    await cutOff.host.commands.run(["nft", "delete", "table", "inet", "wall"]);
    for (const family of families) {
      const isBack = async () => (await lab.holder(addresses[family])) === cutOff;
      await lab.until(isBack, `${addresses[family]} does not come back`);
    }
  });
});

// A node that the LAN reaches, but that does not reach the API.

import { test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { describeBalancers } from "./balancer.fixture.ts";

const wall = `table inet wall {
  chain output {
    type filter hook output priority filter; policy accept;
    ip daddr 192.168.78.2 drop
  }
}`;

describeBalancers("load balancers of a node that is cut off", 2, (given) => {
  test("[ING-2] it lets go of what others can take over, and gets it back", async () => {
    const { lab } = given;
    const addresses = await lab.balance("web", { nodes: lab.nodes });
    const cutOff = await lab.settled("web", addresses);
    await cutOff.host.commands.run(["nft", "-f", "-"], { stdin: wall });
    for (const family of families) {
      const hasMoved = async () => (await lab.holder(addresses[family])) !== cutOff;
      await lab.until(hasMoved, `${addresses[family]} stays where it is`);
      const isAnswered = async () => (await lab.ask(addresses[family])) !== "";
      await lab.until(isAnswered, `${addresses[family]} does not answer`);
    }
    const hasSaid = async () => lab.output.some((line) => line.includes("they take over"));
    await lab.until(hasSaid, `${cutOff.name} does not say why`);
    await cutOff.host.commands.run(["nft", "delete", "table", "inet", "wall"]);
    for (const family of families) {
      const isBack = async () => (await lab.holder(addresses[family])) === cutOff;
      await lab.until(isBack, `${addresses[family]} does not come back`);
    }
  });
});

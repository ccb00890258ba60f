// Addresses of load balancers while nodes and announcers come and go.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { families } from "../../src/net/family.ts";
import { type BalancerLab, type BalancerNode, openBalancerLab } from "./balancer.fixture.ts";

describe("load balancers in trouble", () => {
  let lab: BalancerLab;
  let all: readonly BalancerNode[];
  before(async () => {
    lab = await openBalancerLab();
    all = lab.nodes;
  });
  after(async () => lab[Symbol.asyncDispose]());

  const answers = (address: string) =>
    lab.until(async () => (await lab.ask(address)) !== "", `${address} does not answer`);

  test("[ING-2] when the announcing node is lost another one takes over, in both families", async () => {
    const addresses = await lab.balance("lost", { nodes: all });
    for (const family of families) await answers(addresses[family]);
    const lost = await lab.holder(addresses.IPv4);
    await lab.balance("lost", { nodes: all.filter((node) => node !== lost) });
    await lost.host.unplug();
    try {
      for (const family of families) {
        await answers(addresses[family]);
        assert.notEqual(await lab.holder(addresses[family], lost), lost);
      }
    } finally {
      await lost.host.plug();
    }
    for (const family of families) {
      const isBack = async () => (await lab.holder(addresses[family])) === lost;
      await lab.until(isBack, `${addresses[family]} does not come back`);
      await answers(addresses[family]);
    }
  });

  test("[ING-2] an announcer that is killed leaves its addresses to another, never to two", async () => {
    const addresses = await lab.balance("killed", { nodes: all });
    await answers(addresses.IPv6);
    const holder = await lab.holder(addresses.IPv6);
    let mostAtOnce = 0;
    holder.announcer?.kill("SIGKILL");
    await lab.until(async () => {
      const has = await Promise.all(all.map((node) => node.has(addresses.IPv6)));
      mostAtOnce = Math.max(mostAtOnce, has.filter(Boolean).length);
      return all.some((node, n) => node !== holder && has[n] === true);
    }, "nobody takes over");
    assert.equal(mostAtOnce, 1);
    for (const family of families) await answers(addresses[family]);
    await lab.startAnnouncer(holder);
    const isBack = async () => (await lab.holder(addresses.IPv6)) === holder;
    await lab.until(isBack, "the address does not come back");
  });
});

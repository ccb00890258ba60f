// Addresses of load balancers while nodes and announcers come and go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { describeBalancers } from "./balancer.fixture.ts";

describeBalancers("load balancers in trouble", 3, (given) => {
  test("[ING-2] when the announcing node is lost another one takes over, in both families", async () => {
    const { lab } = given;
    const addresses = await lab.balance("lost", { nodes: lab.nodes });
    for (const family of families) await lab.answers(addresses[family]);
    const lost = await lab.settled("lost", addresses);
    await lab.balance("lost", { nodes: lab.nodes.filter((node) => node !== lost) });
    await lost.host.unplug();
    try {
      for (const family of families) {
        await lab.answers(addresses[family]);
        assert.notEqual(await lab.holder(addresses[family], lost), lost);
      }
    } finally {
      await lost.host.plug();
    }
    for (const family of families) {
      const isBack = async () => (await lab.holder(addresses[family])) === lost;
      await lab.until(isBack, `${addresses[family]} does not come back`);
      const isKnown = async () => {
        await lab.ask(addresses[family]);
        return (await lab.leadsTo(addresses[family])) === lost;
      };
      await lab.until(isKnown, `${addresses[family]} still leads elsewhere`);
      await lab.answers(addresses[family]);
    }
  });

  test("[ING-2] an announcer that is killed leaves its addresses to another, never to two", async () => {
    const { lab } = given;
    const addresses = await lab.balance("killed", { nodes: lab.nodes });
    await lab.answers(addresses.IPv6);
    const holder = await lab.settled("killed", addresses);
    const others = lab.nodes.filter((node) => node !== holder);
    holder.announcer?.kill("SIGKILL");
    let takers = 0;
    await lab.until(async () => {
      const has = await Promise.all(others.map((node) => node.has(addresses.IPv6)));
      takers = has.filter(Boolean).length;
      return takers > 0;
    }, "nobody takes over");
    assert.equal(takers, 1);
    // Asked after the others: it may lose the address between two answers, but not get it again.
    assert.equal(await holder.has(addresses.IPv6), false);
    for (const family of families) await lab.answers(addresses[family]);
    await lab.startAnnouncer(holder);
    const isBack = async () => (await lab.holder(addresses.IPv6)) === holder;
    await lab.until(isBack, "the address does not come back");
  });
});

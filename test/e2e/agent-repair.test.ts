// What others do to a node's network is put right.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemNft } from "../../src/base/host/nft.system.ts";
import { families } from "../../src/base/net/family.ts";
import { masqueradeTable } from "../../src/node/network/links/masquerade.ts";
import { type AgentCluster, type AgentNode, openAgentCluster, until } from "./agent.fixture.ts";
import { leads } from "./agent-ways.fixture.ts";

const timeout = 240_000;

describe("[NODE-3] [MODEL-3] a node's network", { timeout }, () => {
  let cluster: AgentCluster;
  let one: AgentNode;
  before(async () => {
    cluster = await openAgentCluster();
    const words = ["--route=vxlan", "--proxy-mode=none"];
    one = await cluster.join("one", ["192.0.2.1/24", "2001:db8::1/64"], words);
    const other = await cluster.join("other", ["192.0.2.2/24", "2001:db8::2/64"], words);
    await until("ways to the other node", one.agent, () => leads(one, other));
    assert.equal((await ways()).length, 2);
  });
  after(async () => await cluster[Symbol.asyncDispose]());

  /** By protocol and device; others' routes are not there. */
  const ways = async (): Promise<readonly string[]> => {
    const all = await Promise.all(families.map((family) => one.host.ip.routes(family)));
    return all
      .flat()
      .flatMap(({ destination, protocol, nextHops }) =>
        protocol === "84" ? [`${destination} ${nextHops[0]?.gateway} ${nextHops[0]?.link}`] : [],
      );
  };
  const forwarding = async () =>
    (await one.host.commands.run(["bridge", "fdb", "show", "dev", "tandem.ipv4"])).stdout;

  test("routes, tunnels and rules that somebody removes come back; others' stay", async () => {
    const nft = systemNft(one.host.commands);
    const [routes, entries, rules] = [
      await ways(),
      await forwarding(),
      await nft.text(masqueradeTable),
    ];
    assert.match(entries, /dst 192\.0\.2\.2/);
    await one.host.ip.batch([
      "link delete tandem.ipv4",
      "route add 10.200.0.0/16 via 192.0.2.50 dev eth0 proto static",
    ]);
    await nft.deleteTable(masqueradeTable);
    await until("everything as before", one.agent, async () => {
      assert.deepEqual(await ways(), routes);
      assert.equal(await forwarding(), entries);
      return (await nft.text(masqueradeTable)) === rules;
    });
    const present = await one.host.ip.routes("IPv4");
    assert.ok(present.some(({ destination }) => destination.toString() === "10.200.0.0/16"));
  });

  test("[NODE-2] ways to a node that is gone go, with the tunnel to the last of them", async () => {
    const other = cluster.client.resource("v1", "Node");
    await cluster.stop("other");
    await other.delete({ name: "other" });
    await until("no way to it", one.agent, async () => (await ways()).length === 0);
    await until("no tunnel", one.agent, async () => {
      const links = await one.host.ip.links();
      return !links.some(({ name }) => name.startsWith("tandem."));
    });
    await until("no rule about it", one.agent, async () => {
      const text = await systemNft(one.host.commands).text(masqueradeTable);
      return !text.includes("192.0.2.2");
    });
  });
});

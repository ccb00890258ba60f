import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { peer, surroundings } from "../routes/testing/routes.ts";
import { masqueradeScript, masqueradeTable } from "./masquerade.ts";

test("[MODEL-3] what leaves the cluster gets the node's address, each family its own", async () => {
  const { places, podCidrs } = surroundings(["192.0.2.1/24", "2001:db8::1/64"]);
  const peers = [
    peer("self", ["192.0.2.1", "2001:db8::1"], podCidrs.map(String)),
    peer("other", ["192.0.2.2"], ["10.244.1.0/24"]),
  ];
  const exempt = [Prefix.parse("172.16.0.0/12")];
  const script = masqueradeScript({ peers, places, podCidrs, exempt });
  const lines = script.split("\n").filter((line) => line.includes("saddr"));
  assert.deepEqual(
    lines.map((line) => line.trim()),
    [
      'ip saddr { 10.244.0.0/24 } ip daddr != { 10.244.0.0/24, 10.244.1.0/24, 172.16.0.0/12, 192.0.2.1, 192.0.2.2, 224.0.0.0/4 } oifname "eth0" snat ip to 192.0.2.1 fully-random',
      "ip saddr { 10.244.0.0/24 } ip daddr != { 10.244.0.0/24, 10.244.1.0/24, 172.16.0.0/12, 192.0.2.1, 192.0.2.2, 224.0.0.0/4 } masquerade fully-random",
      'ip6 saddr { fd00:244::/64 } ip6 daddr != { 2001:db8::1, fd00:244::/64, ff00::/8 } oifname "eth0" snat ip6 to 2001:db8::1 fully-random',
      "ip6 saddr { fd00:244::/64 } ip6 daddr != { 2001:db8::1, fd00:244::/64, ff00::/8 } masquerade fully-random",
    ],
  );
  const nft = new FakeNft();
  await nft.apply(script);
  await nft.apply(script);
  assert.deepEqual(await nft.tables(), [masqueradeTable]);
});

test("a cluster of one family has rules of one family", () => {
  const { places } = surroundings(["2001:db8::1/64"]);
  const podCidrs = [Prefix.parse("fd00:244::/64")];
  const script = masqueradeScript({ peers: [], places, podCidrs, exempt: [] });
  assert.doesNotMatch(script, /ip saddr/);
  assert.match(script, /ip6 saddr/);
});

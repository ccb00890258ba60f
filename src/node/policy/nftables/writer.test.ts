import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { families } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { PolicyWriter } from "./writer.ts";

const layout = { family: "IPv4", podPrefixes: [], podLinks: [] } as const;

function added(set: string, key: string, after: string) {
  return { set, key, before: undefined, after };
}

test("[POL-5] a replacement is one transaction, whatever was there", async () => {
  for (const family of families) {
    const nft = new FakeNft();
    const writer = new PolicyWriter(nft, { ...layout, family });
    await writer.replace([]);
    await writer.replace([]);
    assert.equal(nft.applied.length, 2);
    assert.match(nft.dump, /hook forward priority filter; policy drop;/);
    assert.ok(await writer.isIntact());
  }
});

test("[POL-6] a change is operations on elements alone", async () => {
  const nft = new FakeNft();
  const writer = new PolicyWriter(nft, layout);
  await writer.replace([added("identities", "10.0.0.1", "0:1")]);
  await writer.apply([
    { set: "identities", key: "10.0.0.1", before: "0:1", after: "0:10" },
    added("ingress-subjects", "10.0.0.1", "0:11"),
  ]);
  assert.equal(
    nft.applied.at(-1),
    `delete element ip tandem-policy identities { 10.0.0.1 }
add element ip tandem-policy identities { 10.0.0.1 : 0:10 }
add element ip tandem-policy ingress-subjects { 10.0.0.1 : 0:11 }
`,
  );
});

test("[POL-1] the first prefix of a length comes with its map, and the longest are asked first", async () => {
  const nft = new FakeNft();
  const writer = new PolicyWriter(nft, layout);
  await writer.replace([added("egress-networks-8", "10.0.0.1 . 192.0.0.0", "0:10")]);
  await writer.apply([added("egress-networks-24", "10.0.0.1 . 192.0.2.0", "0:11")]);
  const rules = nft.dump
    .split("\n")
    .filter((line) => /rule .* egress-networks .*networks-/.test(line));
  assert.deepEqual(
    rules.map((line) => /@egress-networks-(\d+)/.exec(line)?.[1]),
    ["24", "8"],
  );
  assert.ok(await writer.isIntact(), "its own change is no foreign one");
});

test("[POL-5] rules that somebody else has changed are noticed, and so is a table that is gone", async () => {
  const nft = new FakeNft();
  const writer = new PolicyWriter(nft, layout);
  await writer.replace([]);
  await nft.apply("flush chain ip tandem-policy forward\n");
  assert.ok(!(await writer.isIntact()));
  await writer.replace([]);
  assert.ok(await writer.isIntact());
  await nft.apply("delete table ip tandem-policy\n");
  assert.ok(!(await writer.isIntact()));
});

test("[POL-5] addresses of the node's pods that are not known are held once the prefixes are", async () => {
  const nft = new FakeNft();
  const writer = new PolicyWriter(nft, layout);
  await writer.replace([]);
  assert.doesNotMatch(nft.dump, /jump unknown/);
  writer.hold([Prefix.parse("10.1.0.0/24"), Prefix.parse("fd00::/64")]);
  await writer.replace([]);
  assert.match(nft.dump, /ip daddr @local-prefixes ip daddr != @local jump unknown/);
  assert.match(nft.dump, /local-prefixes \{ 10\.1\.0\.0\/24 \}/);
});

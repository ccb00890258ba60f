import assert from "node:assert/strict";
import { test } from "node:test";
import { isNotFound } from "./error.ts";
import { FakeNft } from "./nft.fake.ts";
import { nftContract } from "./testing/nft.contract.ts";

nftContract("fake", async () => new FakeNft());

test("the fake keeps what was applied, and fails when told to", async () => {
  const nft = new FakeNft();
  await nft.apply("add table ip t");
  await assert.rejects(nft.apply("delete table ip nope"), isNotFound);
  nft.failNextApply(new Error("kernel busy"));
  await assert.rejects(nft.apply("add table ip u"), /kernel busy/);
  assert.deepEqual(nft.applied, ["add table ip t"]);
  assert.equal(nft.dump, "add table ip t\n");
});

test("the fake names the line that fails", async () => {
  await assert.rejects(new FakeNft().apply("add table ip t\n\nadd chain ip nope c"), {
    message:
      "Cannot run nft -f -: exit code 1: /dev/stdin:3: Error: Could not process rule: No such file or directory",
    exitCode: 1,
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { durationSeconds, durationText, plainWord, priorityText } from "./testing/words.ts";

test("durations are read as they are printed, and in other ways", () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), (ms) => {
      assert.equal(durationSeconds(durationText(ms / 1000)), ms / 1000);
    }),
  );
  assert.equal(durationText(93_784.5), "1d2h3m4s500ms");
  assert.equal(durationSeconds("90"), 90);
  assert.equal(durationSeconds("5400s"), 5400);
  for (const wrong of ["", "soon", "1h2", "-5s"]) assert.equal(durationSeconds(wrong), undefined);
});

test("nft priorities that mean the same become one name", () => {
  for (const same of ["-100", "dstnat", "filter - 100", "srcnat -200"]) {
    assert.equal(priorityText(same, "inet"), "dstnat");
  }
  assert.equal(priorityText("filter + 10", "ip"), "10");
  assert.equal(priorityText("dstnat", "bridge"), priorityText("-300", "bridge"));
});

test("nft words in different spellings become one", () => {
  assert.equal(plainWord("0x0000002a"), "42");
  assert.equal(plainWord('"eth0"'), "eth0");
  assert.equal(plainWord('"eth*"'), '"eth*"');
});

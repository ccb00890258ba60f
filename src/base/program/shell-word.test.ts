import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { shellWord } from "./shell-word.ts";

test("names and addresses are words as they are", () => {
  for (const word of ["shop/web", "node-1.example", "[fd00::1]:80", "192.168.111.2"]) {
    assert.equal(shellWord(word), word);
  }
});

test("[DASH-1] a shell reads every word as the one that was meant", () => {
  const words = fc
    .sample(fc.string({ unit: "binary-ascii" }), 200)
    .map((one) => one.replaceAll("\0", ""));
  const all = ["", "x; reboot", "$(reboot)", "`reboot`", "a b", "it's", "~", "a\nb", ...words];
  const text = execFileSync("sh", ["-c", `printf '%s\\0' ${all.map(shellWord).join(" ")}`]);
  assert.deepEqual(text.toString("latin1").split("\0").slice(0, -1), all);
});

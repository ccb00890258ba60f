import assert from "node:assert/strict";
import { test } from "node:test";
import { printedCommands, runPrinted } from "../fixtures/printed-commands.ts";

test("[VIP-5, VIP-7, VIP-9] the example of virtual addresses at run time works as printed", async () => {
  const script = await printedCommands("examples/vips-at-run-time/README.md");
  assert.doesNotMatch(script, /insecure/, "certificates are verified");
  const { stdout } = await runPrinted(script, { timeoutMs: 420_000 });
  const held = [...stdout.matchAll(/^fd00:111::5 +api +(?:, )?(control-plane-\d)/gm)];
  const [first, last] = [held[0]?.[1], held.at(-1)?.[1]];
  assert.ok(first !== undefined && last !== undefined && first !== last, stdout);
  assert.match(stdout, /^node-1 +Ready/m);
  assert.match(stdout, /^\d+ passed, 0 failed\.$/m, "the check is green");
});

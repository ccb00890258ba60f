import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { printedBlocks } from "../fixtures/printed-commands.ts";
import { Reader } from "../fixtures/reader.ts";

const root = join(import.meta.dirname, "../..");

test("the README's tour works as printed", async () => {
  const blocks = await printedBlocks("README.md", { section: "A tour" });
  assert.ok(blocks.length > 5);
  const environment = { TANDEM_CLUSTER: `tour-${randomUUID().slice(0, 8)}` };
  await using reader = new Reader({ directory: root, environment });
  try {
    let output = "";
    // Endpoints follow what is new a moment later.
    for (const block of blocks) {
      const expected = block.includes("get endpoints") ? /\]?:8080/ : undefined;
      output += await reader.follow(block, expected);
    }
    assert.match(output, /^node-3 +Ready/m);
    assert.match(output, /\{\[?[0-9a-f.:]+\]?:8080,\[?[0-9a-f.:]+\]?:8080\}/, "a pair");
    const asked = [...output.matchAll(/"client":\s*\{\s*"address":\s*"([^"]+)"/g)];
    assert.equal(asked.length, 2, output);
  } finally {
    await systemCommands().run([join(root, "bin/tandem"), "down"], { environment });
  }
});

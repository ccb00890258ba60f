import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";

const root = join(import.meta.dirname, "../..");

test("the README's tour works as printed", async () => {
  const text = await readFile(join(root, "README.md"), "utf8");
  const [, tour = ""] = /^## A tour.*?$(.*?)^## /ms.exec(text) ?? [];
  const blocks = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  assert.ok(blocks.length > 5);
  const environment = { TANDEM_CLUSTER: `tour-${randomUUID().slice(0, 8)}` };
  const commands = systemCommands();
  try {
    const script = patient(blocks.join("\n"));
    const bash = ["bash", "-O", "expand_aliases", "-euo", "pipefail", "-c", script];
    const { stdout } = await commands.run(bash, { cwd: root, environment, timeoutMs: 240_000 });
    assert.match(stdout, /^node-3 +Ready/m);
    assert.match(stdout, /\{\[?[0-9a-f.:]+\]?:8080,\[?[0-9a-f.:]+\]?:8080\}/, "a pair");
    const asked = [...stdout.matchAll(/"client":\s*\{\s*"address":\s*"([^"]+)"/g)];
    assert.equal(asked.length, 2, stdout);
  } finally {
    await commands.run([join(root, "bin/tandem"), "down"], { environment });
  }
});

/** Endpoints and names follow what is new a moment later, when a reader has come to ask for them. */
function patient(script: string): string {
  return script
    .replace(/^kubectl get endpoints .*$/m, "until $& | grep '{'; do sleep 0.5; done")
    .replace(/^kubectl exec .*$/m, "until $&; do sleep 0.5; done");
}

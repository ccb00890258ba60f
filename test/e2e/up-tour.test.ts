import assert from "node:assert/strict";
import { test } from "node:test";
import { printedCommands, runPrinted } from "../fixtures/printed-commands.ts";

test("the README's tour works as printed", async () => {
  const tour = await printedCommands("README.md", { section: "A tour" });
  const { stdout } = await runPrinted(patient(tour));
  assert.match(stdout, /^node-3 +Ready/m);
  assert.match(stdout, /\{\[?[0-9a-f.:]+\]?:8080,\[?[0-9a-f.:]+\]?:8080\}/, "a pair");
  const asked = [...stdout.matchAll(/"client":\s*\{\s*"address":\s*"([^"]+)"/g)];
  assert.equal(asked.length, 2, stdout);
});

/** Endpoints and names follow what is new a moment later, when a reader has come to ask for them. */
function patient(script: string): string {
  return script
    .replace(/^kubectl get endpoints .*$/m, "until $& | grep '{'; do sleep 0.5; done")
    .replace(/^kubectl exec .*$/m, "until $&; do sleep 0.5; done");
}

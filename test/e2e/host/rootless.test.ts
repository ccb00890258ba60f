import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands } from "./sandbox.ts";

/** An ordinary user, root in a user namespace of its own, with its own network and mounts. */
const asNobody = [
  "setpriv",
  "--reuid=65534",
  "--regid=65534",
  "--clear-groups",
  "unshare",
  "-Urnm",
];

/** Where an error shows it. */
const toStderr = ["--test-reporter=tap", "--test-reporter-destination=stderr"];

for (const name of ["network.test.ts", "nft.test.ts", "iptables.test.ts", "locks.test.ts"]) {
  test(`an ordinary user gets the same from ${name}`, async () => {
    const file = fileURLToPath(import.meta.resolve(`./${name}`));
    const prefix = process.geteuid?.() === 0 ? asNobody : ["unshare", "-Urnm"];
    // Without this the inner runner would take itself for a child of the outer one, and say nothing.
    const environment = { NODE_TEST_CONTEXT: undefined };
    const { stderr } = await commands.run(
      [...prefix, process.execPath, "--test", ...toStderr, file],
      { environment, cwd: "/", timeoutMs: 200_000 },
    );
    assert.match(stderr, /^# pass [1-9]/m);
    assert.match(stderr, /^# skipped 0$/m);
  });
}

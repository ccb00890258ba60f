import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";

const root = join(import.meta.dirname, "../..");

test("an ordinary user, whose path has no /sbin, finds what the Makefile looks for", async () => {
  const commands = systemCommands();
  const { stdout } = await commands.run(
    ["make", "--dry-run", "--always-make", "node_modules/.package-lock.json"],
    { cwd: root },
  );
  const [question = assert.fail(stdout)] = /^.*ldconfig.*?(?= \|\| )/m.exec(stdout) ?? [];
  const asked = await commands.run(["sh", "-c", `${question} || true`], {
    environment: { PATH: "/usr/bin:/bin" },
  });
  assert.equal(asked.stderr, "");
});

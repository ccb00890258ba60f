import assert from "node:assert/strict";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";

test("this kernel has ip_vs", async () => {
  const { stdout } = await systemCommands().run(["ipvsadm", "-L", "-n"]);
  assert.match(stdout, /^IP Virtual Server/);
});

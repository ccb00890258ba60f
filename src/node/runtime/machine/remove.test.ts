import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeDirectory } from "./remove.system.ts";

test("a directory goes although somebody still writes into it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-remove-"));
  const script = "i=0; echo begins; while [ $i -lt 3000 ]; do i=$((i+1)); : > $i; done";
  const writer = spawn("sh", ["-c", script], {
    cwd: directory,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(writer, "exit");
  await once(writer.stdout, "data");
  await removeDirectory(directory);
  await ended;
  assert.equal(existsSync(directory), false);
  await removeDirectory(directory);
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { hasEnded, identify, isAlive, processesAround, stateOf } from "./processes.ts";

test("a process is known by its number and its start, until it ends", async () => {
  const child = spawn("sleep", ["60"]);
  try {
    await once(child, "spawn");
    const id = await identify(child.pid ?? 0);
    assert.ok(id !== undefined && (await isAlive(id)));
    assert.equal(await isAlive({ ...id, startedAt: "1" }), false);
    assert.match(await stateOf(id), /^[RSD]/);
    const found = (await processesAround(process.pid)).find(({ pid }) => pid === id.pid);
    assert.equal(found?.startedAt, id.startedAt);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal(await isAlive(id), false);
  } finally {
    child.kill("SIGKILL");
  }
});

test("one whose first thread has ended goes on as long as it has others", () => {
  const stat = (state: string, threads: number) =>
    `7 (a (b) c) ${state} ${Array.from({ length: 16 }, () => "0").join(" ")} ${threads} 0 99 0`;
  assert.equal(hasEnded(stat("S", 1)), false);
  assert.equal(hasEnded(stat("Z", 2)), false);
  assert.equal(hasEnded(stat("Z", 1)), true);
});

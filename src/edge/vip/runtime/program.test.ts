import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { Program } from "./program.ts";

function open() {
  const commands = new FakeCommands();
  const clock = new FakeClock();
  let crashes = 0;
  const program = new Program({
    name: "keepalived",
    command: ["keepalived", "--dont-fork"],
    reloadSignal: "HUP",
    commands,
    clock,
    log: createLog({ write: () => undefined, format: "json" }),
    onCrash: async () => {
      crashes++;
    },
  });
  return { program, commands, clock, crashes: () => crashes };
}

test("[VIP-4] a program is started once, then told to read its configuration again", async () => {
  const { program, commands } = open();
  await program.startOrReload();
  await program.startOrReload();
  assert.equal(commands.text, "keepalived --dont-fork\nkill -HUP 1000");
  await program.stop();
  assert.equal(program.isRunning, false);
});

test("a program that is just being started again is stopped, and not started twice", async () => {
  const { program, commands, clock } = open();
  await program.startOrReload();
  const start = commands.start.bind(commands);
  const slow = Promise.withResolvers<void>();
  commands.start = async (...call) => {
    await slow.promise;
    return await start(...call);
  };
  commands.started[0]?.exit({ code: 1 });
  await clock.advance(100);
  const done = Promise.all([program.startOrReload(), program.stop()]);
  slow.resolve();
  await done;
  assert.deepEqual(
    commands.started.map(({ signals }) => signals),
    [[], ["SIGTERM"]],
  );
});

test("a program that ends by itself is started again, later and later", async () => {
  const { program, commands, clock, crashes } = open();
  await program.startOrReload();
  const starts: number[] = [];
  for (let count = 0; count < 9; count++) {
    commands.started.at(-1)?.exit({ code: 1 });
    const before = clock.monotonic();
    while (!(program.isRunning && commands.started.length === count + 2)) await clock.advance(50);
    starts.push(clock.monotonic() - before);
  }
  assert.deepEqual(starts, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  assert.equal(crashes(), 9);
  await clock.advance(20_000);
  commands.started.at(-1)?.exit({ signal: "SIGKILL" });
  await clock.advance(50);
  assert.equal(program.isRunning, true, "one that has lived long is started at once");
  await program.stop();
  await clock.advance(60_000);
  assert.equal(program.isRunning, false);
});

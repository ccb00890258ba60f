import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeCommands } from "../../base/host/command.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { KeptProgram } from "./kept-program.ts";

const directory = await mkdtemp(join(tmpdir(), "tandem-kept-"));
after(() => rm(directory, { recursive: true }));

test("a program that ends is started again, later and later, until it is stopped", async () => {
  const { program, commands, clock } = keep("again");
  for (let start = 1; start <= 3; start++) {
    await clock.advance(0);
    assert.equal(commands.started.length, start);
    assert.equal(program.state.pid, commands.started.at(-1)?.pid);
    commands.started.at(-1)?.exit({ code: 1 });
    await clock.advance(0);
    assert.deepEqual(program.state, {
      name: "again",
      pid: 0,
      restarts: start,
      lastExit: { code: 1 },
    });
    await clock.advance(100);
    assert.equal(commands.started.length, start, "it waits first");
    await clock.advance(500 * 2 ** start);
  }
  await program.stop();
  await clock.advance(120_000);
  assert.equal(commands.started.length, 4);
  assert.deepEqual(commands.started.at(-1)?.signals, ["SIGTERM"]);
});

test("who waits for what a program does hears when it has ended three times, with its last words", async () => {
  const { program, commands, clock } = keep("words");
  let failure: unknown;
  const waiting = program.during(new Promise(() => undefined)).catch((error: unknown) => {
    failure = error;
  });
  for (const words of ["one", "two", "three"]) {
    await clock.advance(5_000);
    assert.equal(failure, undefined, `there is hope before ${words}`);
    commands.started.at(-1)?.say(`no such option ${words}`, "stderr");
    commands.started.at(-1)?.exit({ code: 2 });
  }
  await waiting;
  assert.match(
    String(failure),
    /Cannot start words: it ended 3 times, at last with code 2: .*no such option three$/s,
  );
  await program.stop();
  const log = join(directory, "words.log");
  assert.match(await readFile(log, "utf8"), /^no such option one\n/);
  assert.equal((await stat(log)).mode & 0o777, 0o600);
});

test("one that comes back in time is waited for", async () => {
  const { program, commands, clock } = keep("back");
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = program.during(promise);
  await clock.advance(0);
  commands.started[0]?.exit({ signal: "SIGKILL" });
  await clock.advance(5_000);
  assert.equal(commands.started.length, 2);
  resolve("done");
  assert.equal(await waiting, "done");
  await program.stop();
});

function keep(name: string) {
  const commands = new FakeCommands();
  const clock = new FakeClock();
  const log = createLog({ write: () => undefined, format: "json" });
  const logFile = join(directory, `${name}.log`);
  const options = {
    commands,
    clock,
    random: new FakeRandom(),
    log,
    logFile,
    onChange: () => undefined,
  };
  return { program: new KeptProgram({ name, command: [name] }, options), commands, clock };
}

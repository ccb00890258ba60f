import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { systemCommands } from "../../../src/base/host/command.system.ts";
import { isTimedOut } from "../../../src/base/host/error.ts";
import { FakeLocks } from "../../../src/base/host/lock.fake.ts";
import { systemLocks } from "../../../src/base/host/lock.system.ts";
import type { Locks } from "../../../src/base/host/lock.ts";

const commands = systemCommands();
const scratch = await mkdtemp(join(tmpdir(), "tandem-locks-"));
after(() => rm(scratch, { recursive: true }));

const kinds: readonly (readonly [string, Locks])[] = [
  ["real", systemLocks(commands)],
  ["fake", new FakeLocks()],
];
for (const [kind, locks] of kinds) {
  describe(`${kind} locks`, { timeout: 30_000 }, () => {
    test("only one holder at a time, and every one has its turn", async () => {
      const path = join(scratch, `${kind}-turns`);
      let inside = 0;
      let turns = 0;
      const work = async (): Promise<void> => {
        await using _ = await locks.acquire(path);
        assert.equal(++inside, 1);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        turns++;
      };
      await Promise.all(Array.from({ length: 8 }, work));
      assert.equal(turns, 8);
    });

    test("waiting ends at the timeout, and leaves no claim", async () => {
      const path = join(scratch, `${kind}-timeout`);
      const lock = await locks.acquire(path);
      await assert.rejects(locks.acquire(path, { timeoutMs: 20 }), isTimedOut);
      await assert.rejects(locks.acquire(path, { timeoutMs: 0 }), isTimedOut);
      await lock.release();
      await lock.release();
      await (await locks.acquire(path, { timeoutMs: 0 })).release();
    });

    test("an abort ends the waiting, and leaves no claim", async () => {
      const path = join(scratch, `${kind}-abort`);
      const lock = await locks.acquire(path);
      const abort = new AbortController();
      const waiting = locks.acquire(path, { signal: abort.signal });
      const why = new Error("enough");
      abort.abort(why);
      await assert.rejects(waiting, why);
      await assert.rejects(locks.acquire(path, { signal: abort.signal }), why);
      await lock.release();
      await (await locks.acquire(path, { timeoutMs: 0 })).release();
    });
  });
}

const locks = systemLocks(commands);

test("a lock is released when its holder dies by kill -9", { timeout: 30_000 }, async () => {
  const path = join(scratch, "killed");
  const holder = await hold(path);
  await assert.rejects(locks.acquire(path, { timeoutMs: 0 }), isTimedOut);
  const waiting = locks.acquire(path);
  holder.kill("SIGKILL");
  await (await waiting).release();
});

test("children of the holder do not inherit its lock", { timeout: 30_000 }, async () => {
  const path = join(scratch, "inherited");
  const lock = await locks.acquire(path);
  const child = await commands.start(["sleep", "600"]);
  try {
    await lock.release();
    await (await locks.acquire(path, { timeoutMs: 0 })).release();
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});

test("other programs that use flock are excluded, and directories can be locked", async () => {
  const lock = await locks.acquire(scratch);
  await assert.rejects(commands.run(["flock", "--nonblock", scratch, "true"]), { exitCode: 1 });
  await lock.release();
  await commands.run(["flock", "--nonblock", scratch, "true"]);
});

/** Another Node that takes the lock and keeps it. */
async function hold(path: string) {
  const source = (file: string) =>
    JSON.stringify(import.meta.resolve(`../../../src/base/host/${file}`));
  const script = `
    import { systemCommands } from ${source("command.system.ts")};
    import { systemLocks } from ${source("lock.system.ts")};
    const lock = await systemLocks(systemCommands()).acquire(process.argv[1]);
    console.log("held");
    setInterval(() => lock, 1000);`;
  const held = Promise.withResolvers<void>();
  const holder = await commands.start(
    [process.execPath, "--input-type=module", "-e", script, "--", path],
    { onLine: (line) => line === "held" && held.resolve(), diesWithParent: true },
  );
  await held.promise;
  return holder;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { systemCommands } from "../../../src/base/host/command.system.ts";
import { inNamespace, type OutputStream } from "../../../src/base/host/command.ts";
import {
  CommandError,
  isNotFound,
  isNotInstalled,
  isTimedOut,
  isTooLarge,
} from "../../../src/base/host/error.ts";
import { readIfExists } from "../../../src/base/host/files.system.ts";

const commands = systemCommands();

test("a program gets its input and gives its output", async () => {
  assert.deepEqual(await commands.run(["cat"], { stdin: "héllo\n" }), {
    stdout: "héllo\n",
    stderr: "",
  });
  const bytes = await commands.run(["wc", "-c"], { stdin: Buffer.alloc(3_000_000) });
  assert.equal(bytes.stdout.trim(), "3000000");
});

test("a failure carries command, exit code, output and stderr", async () => {
  const command = ["sh", "-c", "echo some; echo ouch >&2; exit 3"];
  await assert.rejects(commands.run(command), (error) => {
    assert(error instanceof CommandError);
    assert.deepEqual(error.command, command);
    assert.equal(error.exitCode, 3);
    assert.equal(error.stdout, "some\n");
    assert.equal(error.stderr, "ouch\n");
    assert.equal(error.reason, "failed");
    assert.match(error.message, /^Cannot run sh .*: exit code 3: ouch$/);
    return true;
  });
});

test("what a program's words mean becomes the reason", async () => {
  await assert.rejects(commands.run(["cat", "/nonexistent"]), isNotFound);
  await assert.rejects(commands.run(["no-such-program"]), isNotInstalled);
  await assert.rejects(commands.start(["no-such-program"]), isNotInstalled);
});

test("arguments that are too long are an error like any other", async () => {
  const command = ["true", "x".repeat(1_000_000)];
  await assert.rejects(commands.run(command), isTooLarge);
  await assert.rejects(commands.start(command), isTooLarge);
});

test("a program that does not read its input is judged by its exit code", async () => {
  await commands.run(["true"], { stdin: "x".repeat(1_000_000) });
});

test("a program that takes too long is killed with all it started", async () => {
  const pids: string[] = [];
  await assert.rejects(
    commands.run(["sh", "-c", "sleep 600 & echo $! >&2; wait"], { timeoutMs: 300 }),
    (error) => {
      assert(isTimedOut(error) && error instanceof CommandError);
      pids.push(error.stderr.trim());
      return true;
    },
  );
  await gone(Number(pids[0]));
});

test("what a program leaves running ends with it", async () => {
  const { stdout } = await commands.run(["sh", "-c", "sleep 600 & echo $!"]);
  await gone(Number(stdout));
});

test("a program that says too much is killed", async () => {
  await assert.rejects(commands.run(["yes"], { maxOutputBytes: 10_000 }), isTooLarge);
});

test("an abort rejects with the signal's reason, before and during", async () => {
  const abort = new AbortController();
  const running = commands.run(["sleep", "600"], { signal: abort.signal });
  const why = new Error("enough");
  abort.abort(why);
  await assert.rejects(running, why);
  await assert.rejects(commands.run(["true"], { signal: abort.signal }), why);
  await assert.rejects(commands.start(["true"], { signal: abort.signal }), why);
});

test("children are spared what slows them and speak English", async () => {
  const slow = systemCommands({
    ...process.env,
    NODE_EXTRA_CA_CERTS: "/x",
    LANG: "de_DE",
    OWN: "a",
  });
  const { stdout } = await slow.run(["env"], { environment: { OWN: undefined, GIVEN: "b" } });
  const variables = stdout.split("\n");
  assert(!variables.some((line) => /^(NODE_EXTRA_CA_CERTS|OWN)=/.test(line)));
  assert(variables.includes("LC_ALL=C.UTF-8"));
  assert(variables.includes("GIVEN=b"));
  assert.match(stdout, /^PATH=.*:\/usr\/sbin:\/sbin$/m);
});

test("a program runs in the folder it is told", async () => {
  assert.equal((await commands.run(["pwd"], { cwd: "/usr" })).stdout, "/usr\n");
});

test("a missing namespace is not found", async () => {
  await assert.rejects(inNamespace(commands, "/nonexistent/ns").run(["true"]), isNotFound);
});

test("a started program reports its lines and its end", async () => {
  const lines: [string, OutputStream][] = [];
  const running = await commands.start(
    ["sh", "-c", "echo one; echo two >&2; printf three; exit 4"],
    {
      onLine: (line, stream) => lines.push([line, stream]),
    },
  );
  assert.deepEqual(await running.exited, { code: 4 });
  assert.deepEqual(
    lines.toSorted(([a], [b]) => a.localeCompare(b)),
    [
      ["one", "stdout"],
      ["three", "stdout"],
      ["two", "stderr"],
    ],
  );
});

test("an abort stops a started program, by force when it does not listen", async () => {
  for (const [script, graceMs, exit] of [
    ["trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", 60_000, { code: 7 }],
    ["trap '' TERM; echo ready; while :; do sleep 0.01; done", 200, { signal: "SIGKILL" }],
  ] as const) {
    const abort = new AbortController();
    const ready = Promise.withResolvers<string>();
    const running = await commands.start(["sh", "-c", script], {
      signal: abort.signal,
      graceMs,
      onLine: ready.resolve,
    });
    await ready.promise;
    abort.abort();
    assert.deepEqual(await running.exited, exit);
    assert.deepEqual(await running.stop(), exit);
  }
});

test("a program that dies with its parent does, by kill -9", async () => {
  const script = `
    import { systemCommands } from ${JSON.stringify(import.meta.resolve("../../../src/base/host/command.system.ts"))};
    const running = await systemCommands().start(["sleep", "600"], { diesWithParent: true });
    console.log(running.pid);
    await running.exited;`;
  const pid = Promise.withResolvers<number>();
  const parent = await commands.start([process.execPath, "--input-type=module", "-e", script], {
    onLine: (line, stream) => stream === "stdout" && pid.resolve(Number(line)),
  });
  const child = await pid.promise;
  parent.kill("SIGKILL");
  assert.deepEqual(await parent.exited, { signal: "SIGKILL" });
  await gone(child);
});

async function gone(pid: number): Promise<void> {
  const deadline = AbortSignal.timeout(30_000);
  while (await isRunning(pid)) {
    deadline.throwIfAborted();
    await setTimeout(10);
  }
}

/** An orphan that nobody has reaped yet is a zombie, and no longer runs. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readIfExists(`/proc/${pid}/status`);
  return status !== undefined && !/^State:\s+[ZX]/m.test(status);
}

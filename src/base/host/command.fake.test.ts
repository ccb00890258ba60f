import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCommands } from "./command.fake.ts";
import { inNamespace } from "./command.ts";
import { isAlreadyExists } from "./error.ts";

test("the fake records what was run, as text", async () => {
  const commands = new FakeCommands();
  await commands.run(["ip", "link"]);
  await inNamespace(commands, "/run/netns/one").run(["nft", "-f", "-"], { stdin: "a\nb\n" });
  assert.equal(commands.text, "ip link\n[/run/netns/one] nft -f -\n  a\n  b");
});

test("the fake answers and fails as it was told, the last word counting", async () => {
  const commands = new FakeCommands()
    .answer("ip", { stdout: "[]" })
    .answer("ip link add", { exitCode: 2, stderr: "RTNETLINK answers: File exists" })
    .answer("broken", new Error("no"));
  assert.equal((await commands.run(["ip", "route"])).stdout, "[]");
  await assert.rejects(commands.run(["ip", "link", "add", "x"]), isAlreadyExists);
  await assert.rejects(commands.run(["broken"]), /no/);
});

test("the fake starts programs that the test plays", async () => {
  const commands = new FakeCommands();
  const lines: string[] = [];
  const abort = new AbortController();
  const first = await commands.start(["server"], { onLine: (line) => lines.push(line) });
  const second = await commands.start(["server"], { signal: abort.signal });
  commands.started[0]?.say("listening");
  commands.started[0]?.exit({ code: 1 });
  abort.abort();
  assert.deepEqual(lines, ["listening"]);
  assert.deepEqual(await first.exited, { code: 1 });
  assert.deepEqual(await second.stop(), { signal: "SIGTERM" });
});

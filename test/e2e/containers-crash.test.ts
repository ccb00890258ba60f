// Agents, and conmon, that are killed at any moment.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openNode } from "./containers.fixture.ts";
import type { AgentOptions } from "./containers-agent.fixture.ts";

const node = await openNode();
after(() => node[Symbol.asyncDispose]());

const rounds = process.env["TANDEM_SOAK"] === "1" ? 100 : 6;
const agentProgram = fileURLToPath(import.meta.resolve("./containers-agent.fixture.ts"));

test("whatever a killed agent leaves half-done is found and cleared by the next", async () => {
  const before = await node.mounts();
  const specs = ["one", "two", "three"].map((id) => node.spec({ id, command: ["sleep", "600"] }));
  for (let round = 0; round < rounds; round++) {
    // Spread over what a start and a removal take, a little more each time.
    await killAgentAfter((round * 67) % 401, { ...node.agentOptions, specs });
    const next = await node.reopen();
    const running = (await next.list()).map(({ id }) => id);
    const cleared = await next.collect();
    assert.deepEqual(
      cleared.filter((id) => running.includes(id)),
      [],
    );
    assert.deepEqual(
      (await next.list()).map(({ id }) => id),
      running,
    );
    for (const { id, status } of await next.list()) assert.equal(status, "running", id);
    await Promise.all(specs.map((spec) => next.start(spec)));
    assert.equal((await next.list()).length, specs.length);
    await Promise.all(specs.map(({ id }) => next.remove(id)));
    assert.deepEqual(await node.traces(), []);
    await next.close();
  }
  assert.deepEqual(await node.mounts(), before);
});

async function killAgentAfter(ms: number, options: AgentOptions): Promise<void> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const agent = spawn(process.execPath, [agentProgram, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  await Promise.race([once(agent.stdout, "data"), once(agent, "exit")]);
  await sleep(ms);
  assert.equal(agent.exitCode, null, "the agent ended by itself");
  agent.kill("SIGKILL");
  await once(agent, "close");
}

test("containers outlive the agent, and the next sees how they end", async () => {
  const { containers } = node;
  const spec = node.spec({ command: ["sh", "-c", "echo ready; read word; exit 8"], stdin: true });
  await containers.start(spec);
  const short = await containers.start(node.spec({ command: ["false"] }));
  await containers.exited(short.id);
  const next = await node.reopen();
  const states = await next.list();
  assert.deepEqual(
    new Map(states.map(({ id, status, exitCode, labels }) => [id, [status, exitCode, labels]])),
    new Map([
      [short.id, ["exited", 1, short.labels]],
      [spec.id, ["running", undefined, spec.labels]],
    ]),
  );
  const session = await next.attach(spec.id, { stdin: true });
  session.stdin?.write("word\n");
  assert.equal((await next.exited(spec.id)).exitCode, 8);
  for (const { id } of states) await next.remove(id);
  assert.deepEqual(await node.traces(), []);
});

test("a container whose conmon was killed ends, in time, as one that nobody saw", async () => {
  const { containers } = node;
  const { id, pid = 0 } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const monitor = join(node.directory, "containers/containers", id, "conmon.pid");
  process.kill(Number(await readFile(monitor, "utf8")), "SIGKILL");
  assert.equal((await containers.get(id))?.status, "running");
  process.kill(pid, "SIGKILL");
  assert.equal((await containers.exited(id)).exitCode, 255);
  await containers.remove(id);
  const other = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const second = join(node.directory, "containers/containers", other.id, "conmon.pid");
  process.kill(Number(await readFile(second, "utf8")), "SIGKILL");
  await containers.remove(other.id);
  assert.deepEqual(await node.traces(), []);
});

test("a log that becomes large is put aside while it is written, and nothing is lost", async () => {
  const limits = { maxBytes: 20_000, kept: 3 };
  const containers = await node.reopen(limits);
  const stopped = new AbortController();
  const script = "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo line $i; done; read word";
  const spec = node.spec({ command: ["sh", "-c", script], stdin: true });
  await containers.start(spec);
  await node.said(spec.id, "line 1000");
  const running = containers.run(stopped.signal);
  const deadline = Date.now() + 30_000;
  // It is not there while it has been put aside and conmon has not begun another.
  while (
    ((await stat(spec.logPath, { throwIfNoEntry: false }))?.size ?? Infinity) > limits.maxBytes
  ) {
    assert.ok(Date.now() < deadline, "the log is still as large");
    await sleep(20);
  }
  stopped.abort();
  await running;
  const session = await containers.attach(spec.id, { stdin: true });
  session.stdin?.write("word\n");
  await containers.exited(spec.id);
  const expected = Array.from({ length: 1000 }, (_, n) => `line ${n + 1}\n`).join("");
  assert.equal(await node.logOf(spec.id), expected);
  await containers.remove(spec.id);
});

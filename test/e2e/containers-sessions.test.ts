// Commands executed in containers, and speaking with containers themselves.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ContainerSession } from "../../src/node/runtime/port.ts";
import { finished, openNode } from "./containers.fixture.ts";
import { processesOf } from "./processes.fixture.ts";

const node = await openNode();
after(() => node[Symbol.asyncDispose]());
const { containers } = node;

/** What has come until it matches. */
async function until(session: ContainerSession, pattern: RegExp): Promise<string> {
  let text = "";
  return await new Promise((resolve, reject) => {
    session.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (pattern.test(text)) resolve(text);
    });
    session.stdout.once("close", () => reject(new Error(`Cannot find ${pattern}: only ${text}`)));
  });
}

test("a command keeps its code, its input and both outputs, also when they are large", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const session = await containers.exec(id, {
    command: ["sh", "-c", "cat; echo bad >&2; exit 7"],
    stdin: true,
  });
  const large = "0123456789".repeat(100_000);
  session.stdin?.end(large);
  const result = await finished(session);
  assert.deepEqual([result.code, result.stderr, result.stdout === large], [7, "bad\n", true]);
  await containers.remove(id);
});

test("what cannot be executed is told apart from what fails", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const missing = await containers.exec(id, { command: ["no-such-program"] });
  await assert.rejects(missing.exited, {
    message: /^Cannot execute no-such-program: exec: "no-such-program": executable file not found/,
  });
  const failing = await containers.exec(id, { command: ["false"] });
  assert.equal((await finished(failing)).code, 1);
  await containers.remove(id);
  await assert.rejects(containers.exec(id, { command: ["true"] }), /there is none/);
});

/** A size takes its way to the terminal inside; who asks too early asks again. */
async function untilSize(session: ContainerSession, size: RegExp): Promise<void> {
  const asking = setInterval(() => session.stdin?.write("stty size\n"), 100);
  await until(session, size).finally(() => clearInterval(asking));
}

test("a terminal has a size, which can change, and its end ends the session", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const session = await containers.exec(id, { command: ["sh"], terminal: true, stdin: true });
  for (const [columns, rows] of [
    [101, 31],
    [55, 22],
  ] as const) {
    await session.resize({ columns, rows });
    await untilSize(session, new RegExp(`${rows} ${columns}`));
  }
  session.stdin?.write("test -t 0 && echo is a terminal; exit 9\n");
  await until(session, /is a terminal\r\n/);
  assert.equal(await session.exited, 9);
  assert.equal(session.stderr, undefined);
  await containers.remove(id);
  assert.deepEqual(await node.traces(), []);
});

test("the end of what is typed is the end of the input", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const session = await containers.exec(id, { command: ["cat"], terminal: true, stdin: true });
  session.stdin?.end("word\n");
  const { code, stdout } = await finished(session);
  assert.equal(code, 0);
  assert.match(stdout, /word/);
  await containers.remove(id);
});

test("sessions end with their container", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const sessions = [
    await containers.exec(id, { command: ["sleep", "601"] }),
    await containers.exec(id, { command: ["sleep", "601"], terminal: true, stdin: true }),
  ];
  await containers.remove(id);
  for (const { exited } of sessions) await Promise.allSettled([exited]);
  assert.deepEqual(await node.traces(), []);
});

/** Processes that were killed are gone a little later. */
async function untilNone(look: () => Promise<readonly string[]>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (let left = await look(); left.length > 0; left = await look()) {
    assert.ok(Date.now() < deadline, left.join("\n"));
  }
}

/** Nothing in the container has this word in its command line. */
async function untilGone(
  agent: typeof containers,
  { id, word }: { readonly id: string; readonly word: string },
): Promise<void> {
  const command = ["sh", "-c", "cat /proc/[0-9]*/cmdline"];
  await untilNone(async () => {
    const { stdout } = await finished(await agent.exec(id, { command }));
    return stdout.includes(word) ? [stdout] : [];
  });
}

for (const terminal of [false, true]) {
  test(`nothing goes on when a session is aborted, terminal: ${terminal}`, async () => {
    const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
    const left = new AbortController();
    const command = ["sh", "-c", "sleep 601 & echo there; wait"];
    const session = await containers.exec(id, { command, terminal, signal: left.signal });
    await until(session, /there/);
    left.abort();
    await assert.rejects(session.exited, { name: "AbortError" });
    await untilGone(containers, { id, word: "601" });
    await untilNone(() => processesOf(`${node.directory}/containers/containers/${id}/sessions`));
    await containers.remove(id);
  });
}

for (const terminal of [false, true]) {
  test(`nothing is left when a session is aborted while it begins, terminal: ${terminal}`, async () => {
    const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
    for (const pauseMs of [0, 5, 20, 80]) {
      const left = new AbortController();
      const command = ["sleep", "603"];
      const asked = containers.exec(id, { command, terminal, signal: left.signal });
      setTimeout(() => left.abort(), pauseMs);
      await assert.rejects(
        asked.then(({ exited }) => exited),
        { name: "AbortError" },
      );
      await untilGone(containers, { id, word: "603" });
    }
    await untilNone(() => processesOf(`${node.directory}/containers/containers/${id}/sessions`));
    await containers.remove(id);
  });
}

test("a session of an agent that was killed ends with the next", async () => {
  const { id } = await containers.start(node.spec({ command: ["sleep", "600"] }));
  const session = await containers.exec(id, { command: ["sh", "-c", "echo there; sleep 602"] });
  await until(session, /there/);
  const next = await node.reopen();
  await Promise.allSettled([session.exited]);
  await untilGone(next, { id, word: "602" });
  await containers.remove(id);
});

test("who is attached hears both outputs apart, and is heard", async () => {
  const command = ["sh", "-c", "while read word; do echo $word; echo not $word >&2; done; exit 5"];
  const { id } = await containers.start(node.spec({ command, stdin: true, stdinOnce: true }));
  const session = await containers.attach(id, { stdin: true });
  session.stdin?.write("one\n");
  await until(session, /one\n/);
  session.stdin?.end("two\n");
  const { code, stderr } = await finished(session);
  assert.deepEqual([code, stderr], [5, "not one\nnot two\n"]);
  await containers.remove(id);
});

test("input stays open for the next who attaches", async () => {
  const command = ["sh", "-c", "while read word; do echo got $word; done"];
  const { id } = await containers.start(node.spec({ command, stdin: true }));
  for (const word of ["one", "two"]) {
    const left = new AbortController();
    const session = await containers.attach(id, { stdin: true, signal: left.signal });
    session.stdin?.end(`${word}\n`);
    await until(session, new RegExp(`got ${word}\n`));
    left.abort();
    await assert.rejects(session.exited, { name: "AbortError" });
  }
  assert.equal((await containers.get(id))?.status, "running");
  await containers.remove(id);
  assert.deepEqual(await node.traces(), []);
});

test("a container may have a terminal itself", async () => {
  const { id } = await containers.start(
    node.spec({ command: ["sh"], terminal: true, stdin: true }),
  );
  const session = await containers.attach(id, { stdin: true });
  assert.equal(session.stderr, undefined);
  await session.resize({ columns: 77, rows: 11 });
  await untilSize(session, /11 77/);
  session.stdin?.write("exit 6\n");
  assert.equal(await session.exited, 6);
  await containers.remove(id);
});

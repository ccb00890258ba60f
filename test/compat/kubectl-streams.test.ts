// logs, exec, attach-like input, cp and port-forward, by SPDY and by WebSocket as each kubectl prefers,
// through the server to a node.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { forEveryKubectl } from "../fixtures/kubectl.ts";
import { StreamAgent } from "../fixtures/stream-agent.ts";

forEveryKubectl("[API-1, API-6] streams", (given) => {
  let agent: StreamAgent | undefined;
  let directory = "";

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tandem-streams-"));
    const node = `node-${given.namespace}`;
    agent = await StreamAgent.start(given.server, node);
    const containers = [{ name: "main", image: "example.test/tool:1" }];
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "tool" },
      spec: { nodeName: node, containers },
    };
    const path = `/api/v1/namespaces/${given.namespace}/pods`;
    assert.equal((await given.server.call("POST", path, pod)).code, 201);
    const status = {
      phase: "Running",
      podIPs: [{ ip: "10.0.0.7" }],
      containerStatuses: [
        {
          name: "main",
          ready: true,
          restartCount: 0,
          image: "example.test/tool:1",
          imageID: "",
          state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
        },
      ],
    };
    const patched = await given.server.send("PATCH", `${path}/tool/status`, {
      body: JSON.stringify({ status }),
      type: "application/merge-patch+json",
    });
    assert.equal(patched.code, 200, patched.text);
  });
  after(async () => {
    await agent?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  test("logs, followed or not", async () => {
    assert.equal(await given.kubectl.run("logs", "tool"), "line one\nline two\n");
    assert.equal(await given.kubectl.run("logs", "-f", "tool"), "line one\nline two\n");
  });

  test("exec: output on both streams, and the exit code", async () => {
    const script = "echo out; echo err >&2; exit 7";
    const { code, stdout, stderr } = await given.kubectl.try([
      "exec",
      "tool",
      "--",
      "sh",
      "-c",
      script,
    ]);
    assert.equal(stdout, "out\n");
    assert.match(stderr, /^err\n/);
    assert.equal(code, 7);
  });

  test("exec -i: megabytes in and out", async () => {
    const text = randomBytes(1_500_000).toString("base64");
    assert.equal(await given.kubectl.pipe(text, "exec", "-i", "tool", "--", "cat"), text);
  });

  test("cp to the pod and back", async () => {
    const source = join(directory, "source");
    const there = join(directory, "there");
    const back = join(directory, "back");
    const content = randomBytes(300_000);
    await writeFile(source, content);
    await given.kubectl.run("cp", source, `tool:${there}`);
    assert.ok(content.equals(await readFile(there)));
    await given.kubectl.run("cp", `tool:${there}`, back);
    assert.ok(content.equals(await readFile(back)));
  });

  test("port-forward: several connections, each way closed by either end", async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    const { port } = echo.address() as { port: number };
    const lines: string[] = [];
    const forwarded = Promise.withResolvers<number>();
    const running = await given.kubectl.start(["port-forward", "pod/tool", `:${port}`], (line) => {
      lines.push(line);
      const local = /127\.0\.0\.1:(\d+) ->/.exec(line)?.[1];
      if (local !== undefined) forwarded.resolve(Number(local));
    });
    try {
      const ended = running.exited.then(() => Promise.reject(new Error(lines.join("\n"))));
      ended.catch(() => undefined);
      const local = await Promise.race([forwarded.promise, ended]);
      const bodies = [randomBytes(400_000), randomBytes(10), randomBytes(70_000)];
      const answers = await Promise.all(
        bodies.map(async (body) => {
          const socket = connect({ port: local, host: "127.0.0.1", allowHalfOpen: true });
          socket.end(body);
          return await buffer(socket);
        }),
      );
      for (const [index, body] of bodies.entries()) {
        assert.ok(body.equals(answers[index] ?? Buffer.alloc(0)), `connection ${index}`);
      }
    } finally {
      await running.stop();
      echo.close();
    }
  });

  test("a container that is not there is refused", async () => {
    const { code, stderr } = await given.kubectl.try(["exec", "tool", "-c", "other", "--", "true"]);
    assert.notEqual(code, 0);
    assert.match(stderr, /container .*other.*not (valid|found)|not valid for pod/);
  });
});

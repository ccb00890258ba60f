// What kubectl of two ages asks a real node: logs, exec, attach, port-forward and cp with pods whose
// containers run. The oldest speaks SPDY, the newest WebSocket.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { type AgentCluster, openAgentCluster, until } from "../e2e/agent.fixture.ts";
import { Kubectl } from "../fixtures/kubectl.ts";

const fetcher = new URL("../../tools/fetch-kubectl", import.meta.url).pathname;
const versions = ["1.20", "1.36"];
const timeout = 280_000;

/** Counts aloud, listens on its loopback alone, and repeats what it is told. */
const script = `
  echo one; echo two
  socat TCP4-LISTEN:7001,bind=127.0.0.1,fork,reuseaddr PIPE &
  socat TCP6-LISTEN:7002,bind=[::1],fork,reuseaddr PIPE &
  while read line; do echo "heard $line"; done
  sleep 3600
`;

describe("[API-1] kubectl and a real node", { timeout }, () => {
  let cluster: AgentCluster;
  let directory = "";
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tandem-kubectl-node-"));
    cluster = await openAgentCluster();
    const node = await cluster.join("worker", ["192.0.2.1/24", "2001:db8::1/64"]);
    const pods = cluster.client.resource("v1", "Pod");
    await pods.create({
      metadata: { namespace: "default", name: "tool" },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "main",
            image: "tandem.internal/host",
            command: ["sh", "-c", script],
            stdin: true,
          },
        ],
      },
    });
    await pods.create({
      metadata: { namespace: "default", name: "waiting" },
      spec: { containers: [{ name: "main", image: "tandem.internal/nothing" }] },
    });
    await until("the pod", node.agent, async () => {
      const { status } = await pods.get({ namespace: "default", name: "tool" });
      return (
        status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false
      );
    });
    await until("a pod that waits", node.agent, async () => {
      const { status } = await pods.get({ namespace: "default", name: "waiting" });
      return status?.containerStatuses?.[0]?.state?.waiting !== undefined;
    });
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  for (const version of versions) {
    describe(`kubectl ${version}`, () => {
      let kubectl: Kubectl;
      let program = "";
      let environment: Record<string, string> = {};
      before(async () => {
        const { stdout } = await systemCommands().run([fetcher, version], { timeoutMs: 100_000 });
        program = stdout.trim();
        const { kubeconfig } = cluster;
        environment = { KUBECONFIG: kubeconfig, HOME: directory };
        kubectl = new Kubectl({ program, kubeconfig, home: directory, namespace: "default" });
      });

      test("logs: all, the last, with times", async () => {
        // A container that runs may not have spoken yet.
        let said = "";
        await until("its words", { output: () => said }, async () => {
          said = await kubectl.run("logs", "tool");
          return said.includes("two\n");
        });
        assert.match(said, /^one\ntwo\n/);
        assert.match(await kubectl.run("logs", "tool", "--tail=1"), /^[^\n]+\n$/);
        const line = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00) one\n/;
        assert.match(await kubectl.run("logs", "tool", "--timestamps"), line);
      });

      test("the node's own server is reached by way of the API", async () => {
        const path = "/api/v1/nodes/worker/proxy";
        assert.equal((await kubectl.run("get", "--raw", `${path}/healthz`)).trim(), "ok");
        assert.match(await kubectl.run("get", "--raw", `${path}/pods`), /"name":"tool"/);
      });

      test("what cannot be is told in words", async () => {
        const earlier = await kubectl.try(["logs", "tool", "--previous"]);
        assert.match(
          earlier.stderr,
          /previous terminated container "main" in pod "tool" not found/,
        );
        const waiting = await kubectl.try(["exec", "waiting", "--", "true"]);
        assert.match(waiting.stderr, /container "main" in pod "waiting" is waiting to start/);
        const unknown = await kubectl.try(["exec", "tool", "--", "/no/such/program"]);
        assert.match(unknown.stderr, /no such file or directory/);
        assert.notEqual(unknown.code, 0);
      });

      test("attach: what is typed reaches the container, and logs -f tells its answer", async () => {
        const word = `word-${version}`;
        const lines: string[] = [];
        const following = await kubectl.start(["logs", "-f", "tool"], (line) => lines.push(line));
        // It stays for as long as the container runs.
        const words = [program, "--namespace=default", "attach", "-i", "tool"];
        const attached = await systemCommands().start(words, { environment, stdin: `${word}\n` });
        try {
          const output = () => lines.join("\n");
          await until("an answer", { output }, async () => lines.includes(`heard ${word}`));
        } finally {
          await following.stop();
          await attached.stop();
        }
      });

      test("exec: both outputs, input, and the exit code", async () => {
        const shell = ["exec", "-i", "tool", "--", "sh", "-c"];
        const told = "cat; echo err >&2; exit 7";
        const { code, stdout, stderr } = await kubectl.try([...shell, told], { stdin: "in\n" });
        assert.equal(stdout, "in\n");
        assert.match(stderr, /^err\n/);
        assert.equal(code, 7);
      });

      test("exec: megabytes in and out", async () => {
        const text = randomBytes(1_000_000).toString("base64");
        assert.equal(await kubectl.pipe(text, "exec", "-i", "tool", "--", "cat"), text);
      });

      test("exec with a terminal", async () => {
        const words = `${program} --namespace=default exec -it tool -- sh -c 'test -t 0 && tty; exit 5'`;
        const command = ["script", "--quiet", "--return", "--command", words, "/dev/null"];
        const ended = await systemCommands()
          .run(command, {
            environment: { ...environment, TERM: "xterm" },
            stdin: "",
          })
          .catch((error: unknown) => error as { stdout: string; exitCode: number });
        assert.match(ended.stdout, /\/dev\/pts\/\d+/);
        assert.equal("exitCode" in ended ? ended.exitCode : 0, 5);
      });

      test("cp: there and back", async () => {
        const [source, back] = ["source", "back"].map((name) =>
          join(directory, `${name}-${version}`),
        );
        assert.ok(source !== undefined && back !== undefined);
        const content = randomBytes(200_000);
        await writeFile(source, content);
        await kubectl.run("cp", source, `tool:/var/tmp/copied-${version}`);
        await kubectl.run("cp", `tool:/var/tmp/copied-${version}`, back);
        assert.ok(content.equals(await readFile(back)));
      });

      test("clients that vanish in the middle do no harm", async () => {
        const commands = [
          ["exec", "-i", "tool", "--", "sh", "-c", "cat > /dev/null"],
          ["exec", "tool", "--", "cat", "/dev/zero"],
          ["logs", "-f", "tool"],
          ["port-forward", "pod/tool", ":7001"],
        ];
        const stdin = Buffer.alloc(20_000_000);
        for (const words of commands) {
          const command = [program, "--namespace=default", ...words];
          const client = await systemCommands().start(command, { environment, stdin });
          await sleep(400);
          client.kill("SIGKILL");
          await client.exited;
        }
        assert.equal(await kubectl.run("exec", "tool", "--", "echo", "well"), "well\n");
      });

      test("port-forward: to servers on the pod's loopback, of either family", async () => {
        for (const port of [7001, 7002]) {
          const { local, stop } = await forward(kubectl, port);
          try {
            const body = randomBytes(10_000);
            const socket = connect({ port: local, host: "127.0.0.1", allowHalfOpen: true });
            socket.end(body);
            assert.ok(body.equals(await buffer(socket)), `port ${port}`);
          } finally {
            await stop();
          }
        }
      });
    });
  }
});

async function forward(kubectl: Kubectl, port: number) {
  const lines: string[] = [];
  const found = Promise.withResolvers<number>();
  const running = await kubectl.start(["port-forward", "pod/tool", `:${port}`], (line) => {
    lines.push(line);
    const local = /127\.0\.0\.1:(\d+) ->/.exec(line)?.[1];
    if (local !== undefined) found.resolve(Number(local));
  });
  void running.exited.then(() => found.reject(new Error(lines.join("\n"))));
  found.promise.catch(() => undefined);
  return { local: await found.promise, stop: () => running.stop() };
}

// Three candidates in processes of their own, one of which leads; leaders and the server are killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { freePorts } from "../fixtures/etcd-member.ts";
import { TestServer } from "../fixtures/server.ts";
import { eventually } from "./client.fixture.ts";

const script = new URL("client-candidate.ts", import.meta.url).pathname;

interface Candidate {
  readonly identity: string;
  readonly process: RunningCommand;
  readonly lines: string[];
}

test("never two leaders at a time, whoever is killed", { timeout: 240_000 }, async () => {
  await using server = await TestServer.start();
  const [port = 0] = await freePorts(1, "127.0.0.1");
  const all: Candidate[] = [];
  const start = async (): Promise<Candidate> => {
    const identity = `candidate-${all.length}`;
    const lines: string[] = [];
    const command = [process.execPath, script, server.kubeconfig, identity, String(port)];
    const onLine = (line: string) => void lines.push(line);
    const running = await systemCommands().start(command, { onLine, diesWithParent: true });
    const candidate = { identity, process: running, lines };
    all.push(candidate);
    return candidate;
  };
  const standing = new Set<Candidate>();
  const said = () =>
    all.map(({ identity, lines }) => `${identity}:\n${lines.join("\n")}`).join("\n");
  const times = () => all.flatMap(({ lines }) => lines.filter((line) => line === "leading")).length;
  const leaderOf = () => [...standing].findLast(({ lines }) => lines.includes("leading"));
  try {
    for (let number = 0; number < 3; number++) standing.add(await start());
    for (const end of ["SIGKILL", "SIGTERM", "SIGKILL", "server", "SIGTERM"] as const) {
      await eventually("a leader", () => leaderOf() !== undefined);
      const leader = leaderOf() ?? assert.fail();
      if (end === "server") {
        const before = times();
        await server.kill();
        await server.launch();
        // Longer than a leader may go without a renewal.
        await sleep(2_000);
        await eventually("a leader", () => times() >= before);
        continue;
      }
      standing.delete(leader);
      leader.process.kill(end);
      const { code } = await leader.process.exited;
      if (end === "SIGTERM") assert.equal(code, 0, said());
      standing.add(await start());
    }
    await eventually("a leader", () => leaderOf() !== undefined);
    assert.doesNotMatch(said(), /failed/);
    assert.ok(times() >= 5, said());
  } finally {
    for (const candidate of all) await candidate.process.stop();
  }
});

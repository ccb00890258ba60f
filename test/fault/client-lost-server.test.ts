import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { type LanHost, openLan } from "../fixtures/lan.ts";

const program = new URL("idle-stream.ts", import.meta.url).pathname;
const address = "192.168.111.2";
/** A bound for what would hang; connections that nobody probes outlive it by far. */
const patience = 60_000;
/** A server may be silent for longer than a lost one is waited for. */
const pauseMs = 6_000;

interface Talk extends AsyncDisposable {
  readonly running: RunningCommand;
  readonly lines: string[];
  until(what: string, isSo: (lines: readonly string[]) => boolean): Promise<void>;
}

test("[VIP-7] a stream ends when its server is out of reach, and outlives a silence of it", async () => {
  await using lan = await openLan();
  const server = await lan.join("server", [`${address}/24`]);
  const client = await lan.join("client", ["192.168.111.9/24"]);
  await using serving = await start(server, "serve");
  await serving.until("it serves", (lines) => lines.includes("serving"));
  await using reading = await start(client, "read");
  const { lines } = reading;
  await reading.until("it hears the server", () => lines.includes("tick"));

  serving.running.kill("SIGSTOP");
  try {
    await sleep(pauseMs);
  } finally {
    serving.running.kill("SIGCONT");
  }
  const heard = lines.length;
  await reading.until("it hears the server again", () => lines.length > heard);
  assert.deepEqual(new Set(lines), new Set(["tick"]));

  await server.unplug();
  await reading.until("it notices the loss", () => lines.at(-1) === "ConnectionLost");
});

async function start({ commands }: LanHost, role: "serve" | "read"): Promise<Talk> {
  const lines: string[] = [];
  const running = await commands.start([process.execPath, program, role, address], {
    diesWithParent: true,
    onLine: (line) => lines.push(line),
  });
  return {
    running,
    lines,
    async until(what, isSo) {
      const deadline = Date.now() + patience;
      while (!isSo(lines)) {
        assert.ok(Date.now() < deadline, `${what}: not within ${patience} ms: ${lines.join(" ")}`);
        await sleep(50);
      }
    },
    [Symbol.asyncDispose]: async () => void (await running.stop()),
  };
}

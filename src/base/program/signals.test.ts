import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { StopRequested, type StopSignal, stopOnSignals } from "./signals.ts";

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }

  receive(name: StopSignal): void {
    this.emit(name, name);
  }
}

test("the first signal asks to stop, the second exits at once", () => {
  const source = new FakeProcess();
  const { signal } = stopOnSignals(source);
  assert.equal(signal.aborted, false);
  source.receive("SIGTERM");
  assert.ok(signal.reason instanceof StopRequested);
  assert.deepEqual([signal.reason.exitCode, source.exits], [143, []]);
  source.receive("SIGINT");
  assert.deepEqual(source.exits, [130]);
});

test("nobody listens any more after the end", () => {
  const source = new FakeProcess();
  {
    using stopping = stopOnSignals(source);
    assert.equal(source.listenerCount("SIGINT") + source.listenerCount("SIGTERM"), 2);
    assert.equal(stopping.signal.aborted, false);
  }
  assert.deepEqual(source.eventNames(), []);
});

test("a real process that hangs while stopping ends at the second signal", {
  timeout: 30_000,
}, async () => {
  const script = `
    const { stopOnSignals } = await import(${JSON.stringify(new URL("./signals.ts", import.meta.url))});
    const { signal } = stopOnSignals();
    signal.addEventListener("abort", () => process.stdout.write(signal.reason.message));
    setInterval(() => {}, 1000);
    process.stdout.write("running");
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    child.stdout.setEncoding("utf8");
    assert.deepEqual(await once(child.stdout, "data"), ["running"]);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child.stdout, "data"), ["stopped by SIGTERM"]);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [143, null]);
  } finally {
    child.kill("SIGKILL");
  }
});

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
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

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type Part, PartFailedError, runAll } from "./run-all.ts";

/** A part that runs until it is stopped, and then takes a moment to clean up. */
function steady(name: string, ended: string[] = []): Part {
  return {
    name,
    async run(signal) {
      if (!signal.aborted) await once(signal, "abort");
      await Promise.resolve();
      ended.push(name);
    },
  };
}

test("all parts stop with the signal, and all are awaited", async () => {
  const stop = new AbortController();
  const ended: string[] = [];
  const running = runAll([steady("a", ended), steady("b", ended)], stop.signal);
  stop.abort();
  await running;
  assert.deepEqual(ended.toSorted(), ["a", "b"]);
});

test("the first failure stops the others and is reported when all have ended", async () => {
  const ended: string[] = [];
  const cause = new Error("port taken");
  const failing: Part = { name: "dns", run: () => Promise.reject(cause) };
  const running = runAll(
    [steady("a", ended), failing, steady("b", ended)],
    new AbortController().signal,
  );
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof PartFailedError);
    assert.deepEqual([error.part, error.message], ["dns", "Cannot keep dns running"]);
    assert.deepEqual(error.errors, [cause]);
    return true;
  });
  assert.deepEqual(ended.toSorted(), ["a", "b"]);
});

test("a part that ends by itself is a failure", async () => {
  const brief: Part = { name: "vip", run: () => Promise.resolve() };
  await assert.rejects(runAll([steady("a"), brief], new AbortController().signal), (error) => {
    assert.ok(error instanceof PartFailedError);
    assert.match(String(error.errors[0]), /it ended without being asked to/);
    return true;
  });
});

test("what goes wrong while stopping is reported too, being stopped is not", async () => {
  const stop = new AbortController();
  const aborting: Part = {
    name: "watch",
    async run(signal) {
      await once(signal, "abort");
      signal.throwIfAborted();
    },
  };
  const clumsy: Part = {
    name: "rules",
    async run(signal) {
      await once(signal, "abort");
      throw new Error("cannot clean up");
    },
  };
  const running = runAll([aborting, clumsy], stop.signal);
  stop.abort();
  await assert.rejects(running, { part: "rules" });
});

test("runAll calls run as a method of its part", async () => {
  class Server implements Part {
    readonly name = "server";
    readonly stopped: string[] = [];

    async run(signal: AbortSignal): Promise<void> {
      await once(signal, "abort");
      this.stopped.push(this.name);
    }
  }
  const server = new Server();
  const stop = new AbortController();
  const running = runAll([server], stop.signal);
  stop.abort();
  await running;
  assert.deepEqual(server.stopped, ["server"]);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { type BusyStep, BusySteps } from "./busy-steps.ts";

describe("steps that keep processors busy", () => {
  test("only so many run at once, and the pod that came first goes first", async () => {
    const { begin, running } = scene(2);
    const first = begin("a", 1);
    const second = begin("b", 2);
    const late = begin("late", 9);
    const early = begin("early", 3);
    const twin = begin("twin of early", 3);
    await settled();
    assert.deepEqual(running(), ["a", "b"]);
    await first.end();
    assert.deepEqual(running(), ["b", "early"]);
    await early.end();
    assert.deepEqual(running(), ["b", "twin of early"]);
    await second.end();
    assert.deepEqual(running(), ["twin of early", "late"]);
    await twin.end();
    await late.end();
    assert.deepEqual(running(), []);
  });

  test("a removal of an old pod goes before the start of a new one", async () => {
    const { begin, running } = scene(1);
    const busy = begin("busy", 5);
    const start = begin("start", 8);
    const removal = begin("removal", 2, { step: "removal" });
    await busy.end();
    assert.deepEqual(running(), ["removal"]);
    await removal.end();
    await start.end();
  });

  test("what waits for something else than a processor keeps nobody from it", async () => {
    const { begin, running, clock } = scene(1);
    const slow = begin("slow", 1);
    const next = begin("next", 2);
    await clock.advance(1_000);
    assert.deepEqual(running(), ["slow", "next"]);
    const third = begin("third", 3);
    await slow.end();
    assert.deepEqual(running(), ["next"], "its place was given back before");
    await next.end();
    assert.deepEqual(running(), ["third"]);
    await third.end();
    assert.equal(clock.pending, 0);
  });

  test("who gives up waiting is not waited for", async () => {
    const { begin, running } = scene(1);
    const busy = begin("busy", 1);
    const stop = new AbortController();
    const gone = begin("gone", 2, { signal: stop.signal });
    const next = begin("next", 3);
    stop.abort(new Error("not needed any more"));
    await assert.rejects(gone.done, /not needed any more/);
    await busy.end();
    assert.deepEqual(running(), ["next"]);
    await next.end();
  });

  test("a failure gives the place back", async () => {
    const steps = new BusySteps({ clock: new FakeClock(), limit: 1 });
    const options = { step: "sandbox", since: 1 } as const;
    await assert.rejects(
      steps.run(() => Promise.reject(new Error("no")), options),
      /no/,
    );
    assert.equal(await steps.run(() => Promise.resolve("yes"), options), "yes");
  });

  test("waiting is told apart by step", async () => {
    const { begin, clock, metrics } = scene(1);
    const busy = begin("busy", 1);
    const next = begin("next", 2, { step: "container" });
    await clock.advance(300);
    await busy.end();
    await next.end();
    const text = metrics.render();
    assert.match(text, /tandem_agent_queue_seconds_sum\{step="container"\} 0\.3\n/);
    assert.match(text, /tandem_agent_queue_seconds_sum\{step="sandbox"\} 0\n/);
  });
});

function scene(limit: number) {
  const clock = new FakeClock();
  const metrics = new Registry();
  const steps = new BusySteps({ clock, metrics, limit });
  const names: string[] = [];
  return {
    clock,
    metrics,
    running: () => names,
    begin: (name: string, since: number, more: { step?: BusyStep; signal?: AbortSignal } = {}) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const work = async (): Promise<void> => {
        names.push(name);
        await promise;
        names.splice(names.indexOf(name), 1);
      };
      const done = steps.run(work, { step: "sandbox", since, ...more });
      const end = async (): Promise<void> => {
        resolve();
        await done;
        await settled();
      };
      return { done, end };
    },
  };
}

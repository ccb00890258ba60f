import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { Registry } from "../../base/program/metrics.ts";
import { type Work, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function setUp(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  const queue = new WorkQueue({ name: "test", clock, random: new FakeRandom(), ...options });
  const stop = new AbortController();
  const failures: string[] = [];
  const run = (work: Work, concurrency = 1) =>
    queue.run(work, {
      concurrency,
      signal: stop.signal,
      onFailure: (key, error, ms) => failures.push(`${key} ${String(error)} ${ms}`),
    });
  return { clock, queue, stop, run, failures };
}

describe("a work queue", () => {
  test("works on each key once, in order, however often it was added", async () => {
    const { queue, run, stop } = setUp();
    const worked: string[] = [];
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    assert.equal(queue.depth, 3);
    const running = run(async (key) => void worked.push(key));
    await queue.idle();
    assert.deepEqual(worked, ["a", "b", "c"]);
    stop.abort();
    await running;
  });

  test("a key that is added while it is in work comes again, and not at the same time", async () => {
    const { queue, run, stop, clock } = setUp();
    let inWork = 0;
    let times = 0;
    const running = run(async () => {
      inWork += 1;
      assert.equal(inWork, 1);
      times += 1;
      await clock.sleep(10);
      inWork -= 1;
    }, 4);
    queue.add("a");
    await clock.advance(5);
    for (let turn = 0; turn < 3; turn++) queue.add("a");
    await clock.advance(100);
    assert.equal(times, 2);
    stop.abort();
    await running;
  });

  test("a key that fails waits longer each time, until it succeeds", async () => {
    const backOff = { initialMs: 100, maximumMs: 1_000 };
    const { queue, run, stop, clock, failures } = setUp({ backOff });
    const at: number[] = [];
    let isBroken = true;
    const running = run(async () => {
      at.push(clock.monotonic());
      if (isBroken) throw new Error("broken");
    });
    queue.add("a");
    await clock.advance(10_000);
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    for (const [index, full] of [100, 200, 400, 800, 1000, 1000].entries()) {
      const wait = waits[index] ?? 0;
      assert.ok(wait >= full / 2 && wait <= full, `${wait} of ${full}`);
    }
    assert.match(failures[0] ?? "", /^a Error: broken \d+/);
    isBroken = false;
    await clock.advance(2_000);
    isBroken = true;
    at.length = 0;
    queue.add("a");
    await clock.advance(100);
    assert.equal(at.length, 2, "the back-off begins anew after a success");
    stop.abort();
    await running;
  });

  test("one key's failures do not hold up others", async () => {
    const { queue, run, stop, clock } = setUp();
    const worked: string[] = [];
    const running = run(async (key) => {
      if (key === "bad") throw new Error("bad");
      worked.push(key);
    });
    for (const key of ["bad", "a", "b"]) queue.add(key);
    await clock.advance(0);
    assert.deepEqual(worked, ["a", "b"]);
    stop.abort();
    await running;
  });

  test("delays are kept, the earliest counting", async () => {
    const { queue, run, stop, clock } = setUp();
    const worked: string[] = [];
    const running = run(async (key) => void worked.push(`${key} ${clock.monotonic()}`));
    queue.addAfter("a", 100);
    queue.addAfter("a", 50);
    queue.addAfter("a", 70);
    queue.addAfter("b", 10);
    await clock.advance(1_000);
    assert.deepEqual(worked, ["b 10", "a 50"]);
    stop.abort();
    await running;
  });

  test("no more keys are in work than allowed", async () => {
    const { queue, run, stop, clock } = setUp();
    let most = 0;
    let inWork = 0;
    const running = run(async () => {
      most = Math.max(most, ++inWork);
      await clock.sleep(10);
      inWork -= 1;
    }, 3);
    for (let key = 0; key < 10; key++) queue.add(String(key));
    await clock.advance(1_000);
    assert.equal(most, 3);
    stop.abort();
    await running;
  });

  test("stopping waits for what is in work, begins nothing new and leaves no timer", async () => {
    const { queue, run, stop, clock, failures } = setUp();
    const done: string[] = [];
    const running = run(async (key, signal) => {
      await clock.sleep(10);
      done.push(key);
      signal.throwIfAborted();
    });
    for (const key of ["a", "b"]) queue.add(key);
    queue.addAfter("c", 100);
    await clock.advance(0);
    stop.abort();
    let isOver = false;
    const over = running.then(() => (isOver = true));
    await clock.advance(5);
    assert.equal(isOver, false);
    await clock.advance(5);
    await over;
    assert.deepEqual([done, failures, clock.pending], [["a"], [], 0]);
  });

  test("depth, waits, work and retries are measured", async () => {
    const metrics = new Registry();
    const { queue, run, stop, clock } = setUp({ metrics });
    queue.add("a");
    queue.add("b");
    await clock.advance(2_000);
    assert.match(metrics.render(), /^workqueue_depth\{name="test"\} 2$/m);
    const running = run(async (key) => {
      await clock.sleep(500);
      if (key === "b") throw new Error("b");
    }, 2);
    await clock.advance(500);
    stop.abort();
    await running;
    for (const line of [
      'workqueue_adds_total{name="test"} 2',
      'workqueue_depth{name="test"} 0',
      'workqueue_retries_total{name="test"} 1',
      'workqueue_queue_duration_seconds_sum{name="test"} 4',
      'workqueue_work_duration_seconds_sum{name="test"} 1',
    ]) {
      assert.ok(metrics.render().includes(`${line}\n`), line);
    }
  });
});

test("whatever is added when, the last change of every key is worked on", async () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom("a", "b", "c"), wait: fc.nat(30), fails: fc.boolean() }),
    { maxLength: 50 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (all, concurrency) => {
      const { queue, run, stop, clock } = setUp();
      const wanted = new Map<string, number>();
      const reached = new Map<string, number>();
      const failing = new Set<string>();
      const inWork = new Set<string>();
      const running = run(async (key) => {
        assert.ok(!inWork.has(key), `${key} is in work already`);
        inWork.add(key);
        const value = wanted.get(key) ?? 0;
        await clock.sleep(7);
        inWork.delete(key);
        if (failing.delete(key)) throw new Error("once");
        reached.set(key, value);
      }, concurrency);
      for (const { key, wait, fails } of all) {
        wanted.set(key, (wanted.get(key) ?? 0) + 1);
        if (fails) failing.add(key);
        queue.add(key);
        await clock.advance(wait);
      }
      await clock.advance(10_000);
      assert.deepEqual(Object.fromEntries(reached), Object.fromEntries(wanted));
      stop.abort();
      await running;
    }),
    { numRuns: 50 },
  );
});

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

describe("the queue of the scheduler", () => {
  let clock: FakeClock;
  let queue: SchedulingQueue;
  let told = 0;
  beforeEach(() => {
    clock = new FakeClock();
    told = 0;
    queue = new SchedulingQueue({ clock, random: new FakeRandom(), onReady: () => told++ });
  });
  const takeAll = () => {
    const taken: string[] = [];
    for (let key = queue.take(); key !== undefined; key = queue.take()) taken.push(key);
    return taken;
  };

  test("higher priorities come first, otherwise it is first come, first served", () => {
    for (const [key, priority] of [
      ["a", 0],
      ["b", 7],
      ["c", 0],
      ["d", 7],
    ] as const) {
      queue.add(key, priority);
    }
    assert.deepEqual(takeAll(), ["b", "d", "a", "c"]);
    assert.equal(told, 4);
  });

  test("one that waits comes back after a change that can help, but not at once", async () => {
    queue.add("a", 0);
    queue.take();
    queue.wait("a", new Set(["node"]));
    queue.wake("pod gone");
    await clock.advance(2_000);
    assert.deepEqual(takeAll(), []);
    queue.wake("node");
    assert.deepEqual(takeAll(), ["a"]);
    queue.wait("a", new Set(["node"]));
    queue.wake("node");
    assert.deepEqual(takeAll(), []);
    await clock.advance(2_000);
    assert.deepEqual(takeAll(), ["a"]);
  });

  test("one that waits in vain is tried again all the same", async () => {
    queue.add("a", 0);
    queue.take();
    queue.wait("a", new Set(["node"]));
    await clock.advance(299_000);
    assert.deepEqual(takeAll(), []);
    await clock.advance(1_000);
    assert.deepEqual(takeAll(), ["a"]);
  });

  test("after a failure time is enough, more of it each time", async () => {
    queue.add("a", 0);
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      assert.equal(queue.take(), "a");
      queue.retry("a");
      const begun = clock.monotonic();
      while (queue.ready === 0) await clock.advance(100);
      waits.push(clock.monotonic() - begun);
    }
    for (const [index, wait] of waits.entries()) {
      const full = Math.min(10_000, 1_000 * 2 ** index);
      assert(wait >= full / 2 && wait <= full + 100, `${index}: ${wait}`);
    }
  });

  test("what is removed is forgotten, wherever it waits", async () => {
    for (const key of ["a", "b", "c"]) queue.add(key, 0);
    queue.take();
    queue.wait("a", new Set(["node"]));
    queue.take();
    queue.retry("b");
    for (const key of ["a", "b", "c"]) queue.remove(key);
    queue.wake("node");
    await clock.advance(600_000);
    assert.deepEqual(takeAll(), []);
    assert.equal(clock.pending, 0);
  });

  test("one that changes starts afresh", () => {
    queue.add("a", 0);
    queue.take();
    queue.wait("a", new Set(["node"]));
    queue.add("a", 0);
    assert.deepEqual(takeAll(), ["a"]);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "./clock.fake.ts";
import { systemClock } from "./clock.system.ts";
import type { Clock } from "./clock.ts";

const fake = new FakeClock();
const kinds: readonly (readonly [string, Clock, () => Promise<void>])[] = [
  ["system", systemClock, async () => {}],
  ["fake", fake, () => fake.advance(1000)],
];
for (const [kind, clock, letTimePass] of kinds) {
  describe(`${kind} clock`, () => {
    test("sleeping takes time, and wakes in order", async () => {
      const order: number[] = [];
      const before = clock.monotonic();
      const sleepers = [30, 1].map((ms) => clock.sleep(ms).then(() => order.push(ms)));
      await letTimePass();
      await Promise.all(sleepers);
      assert.deepEqual(order, [1, 30]);
      assert(clock.monotonic() > before);
    });

    test("an abort ends a sleep with its reason", async () => {
      const abort = new AbortController();
      const sleeping = clock.sleep(100_000, abort.signal);
      const why = new Error("woken");
      abort.abort(why);
      await assert.rejects(sleeping, why);
      await assert.rejects(clock.sleep(1, abort.signal), why);
    });

    test("a cancelled timer stays silent", async () => {
      const fired: string[] = [];
      const cancelled = clock.setTimer(1, () => fired.push("cancelled"));
      cancelled.cancel();
      const done = Promise.withResolvers<void>();
      clock.setTimer(2, () => {
        fired.push("kept");
        done.resolve();
      });
      await letTimePass();
      await done.promise;
      assert.deepEqual(fired, ["kept"]);
    });
  });
}

test("the fake stands still until it is advanced, and then does all that is due", async () => {
  const clock = new FakeClock("2026-03-01T00:00:00Z");
  const seen: [number, number][] = [];
  const loop = async (): Promise<void> => {
    for (let turn = 1; turn <= 3; turn++) {
      await clock.sleep(10);
      seen.push([turn, clock.monotonic()]);
    }
  };
  const looping = loop();
  assert.equal(clock.pending, 1);
  await clock.advance(25);
  assert.deepEqual(seen, [
    [1, 10],
    [2, 20],
  ]);
  assert.equal(new Date(clock.now()).toISOString(), "2026-03-01T00:00:00.025Z");
  await clock.advance(5);
  await looping;
  assert.equal(clock.pending, 0);
});

test("the fake's time of day can jump while its monotonic time goes on", async () => {
  const clock = new FakeClock();
  await clock.advance(5);
  clock.setNow("2020-01-01T00:00:00Z");
  assert.equal(clock.now(), Date.UTC(2020, 0, 1));
  assert.equal(clock.monotonic(), 5);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { Debounce } from "./debounce.ts";

test("[VIP-4] many changes make one, when it is quiet or when patience ends", async () => {
  const clock = new FakeClock();
  const debounce = new Debounce(clock, { quietMs: 100, patienceMs: 250 });
  const { signal } = new AbortController();
  const seen: number[] = [];
  const follow = (async () => {
    for (let count = 0; count < 2; count++) {
      await debounce.next(signal);
      seen.push(clock.monotonic());
    }
  })();
  debounce.poke();
  await clock.advance(50);
  debounce.poke();
  await clock.advance(150);
  assert.deepEqual(seen, [150], "a hundred after the last");
  for (let at = 0; at < 300; at += 50) {
    debounce.poke();
    await clock.advance(50);
  }
  assert.deepEqual(seen, [150, 450], "two hundred and fifty after the first");
  await follow;
});

test("waiting for a change ends with the signal", async () => {
  const debounce = new Debounce(new FakeClock(), { quietMs: 100, patienceMs: 250 });
  const stop = new AbortController();
  const waiting = debounce.next(stop.signal);
  stop.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { GiveBack } from "./give-back.ts";

test("[API-13] a charge whose object has not arrived is kept, and given back when nothing comes", () => {
  const back = new GiveBack();
  const charge = { version: "2", charged: { services: "2", pods: "1" } };
  const counted = { services: "1", pods: "1" };
  assert.deepEqual(back.decide("q", { ...charge, counted, nowMs: 0 }), {
    used: { services: "2", pods: "1" },
    againInMs: 1000,
  });
  assert.deepEqual(back.decide("q", { ...charge, counted, nowMs: 400 }).againInMs, 600);
  assert.deepEqual(back.decide("q", { ...charge, counted, nowMs: 1000 }), { used: counted });
});

test("[API-13] what was deleted is given back at once if the quota was left alone before", () => {
  const back = new GiveBack();
  const charge = { version: "2", charged: { services: "2" } };
  back.decide("q", { ...charge, counted: { services: "2" }, nowMs: 0 });
  const counted = { services: "1" };
  assert.deepEqual(back.decide("q", { ...charge, counted, nowMs: 5000 }), { used: counted });
});

test("[API-13] a quota that is charged all the time is counted anew after five seconds", () => {
  const back = new GiveBack();
  const decide = (version: number, nowMs: number) =>
    back.decide("q", {
      version: String(version),
      charged: { pods: "9" },
      counted: { pods: "4" },
      nowMs,
    });
  for (let second = 0; second < 10; second++) {
    const { used } = decide(second, second * 500);
    assert.deepEqual(used, { pods: "9" });
  }
  assert.deepEqual(decide(10, 5000), { used: { pods: "4" } });
});

test("[API-13] more than was charged counts at once, and so does what was never charged", () => {
  const back = new GiveBack();
  const counted = { pods: "3", services: "0" };
  const decided = back.decide("q", { version: "1", charged: { pods: "2" }, counted, nowMs: 0 });
  assert.deepEqual(decided, { used: counted });
});

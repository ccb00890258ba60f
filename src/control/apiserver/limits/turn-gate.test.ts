import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnGate } from "./turn-gate.ts";

test("[SEC-4] requests that are ready at once are spread over turns, and users take turns", async () => {
  let now = 0;
  const turns: (() => void)[] = [];
  const gate = new TurnGate({ now: () => now, nextTurn: (act) => turns.push(act) });
  const passed: string[] = [];
  const ask = (user: string) => {
    const wait = gate.pass(user);
    if (wait === undefined) passed.push(`${user} at once`);
    else void wait.then(() => passed.push(user));
  };
  ask("a");
  now += 11;
  for (const user of ["a", "a", "a", "a", "a", "a", "b"]) ask(user);
  assert.deepEqual(passed, ["a at once"]);
  assert.equal(turns.length, 1);
  const turn = async () => {
    turns.shift()?.();
    await Promise.resolve();
    return passed.splice(0);
  };
  assert.deepEqual(await turn(), ["a at once", "a", "b"]);
  ask("c");
  assert.deepEqual(await turn(), ["a", "c"]);
  assert.deepEqual(await turn(), ["a", "a"]);
  assert.deepEqual(await turn(), ["a", "a"]);
  assert.deepEqual(await turn(), []);
  assert.equal(turns.length, 0, "an idle gate costs nothing");
  ask("a");
  assert.deepEqual(passed, ["a at once"]);
});

test("[SEC-4] connections that come at once are taken a few per turn, and addresses take turns", async () => {
  const turns: (() => void)[] = [];
  const gate = new TurnGate({ mostPerTurn: 2, now: () => 0, nextTurn: (act) => turns.push(act) });
  const taken: string[] = [];
  const waits = ["a", "a", "a", "a", "b"].map((address) => {
    const wait = gate.pass(address);
    void wait?.then(() => taken.push(address));
    return wait !== undefined;
  });
  assert.deepEqual(waits, [false, false, true, true, true]);
  turns.shift()?.();
  await Promise.resolve();
  assert.deepEqual(taken, ["a", "b"]);
});

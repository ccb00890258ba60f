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
  assert.deepEqual(await turn(), ["a at once", "a", "b", "a", "a"]);
  ask("c");
  assert.deepEqual(await turn(), ["a", "c", "a", "a"]);
  assert.deepEqual(await turn(), []);
  assert.equal(turns.length, 0, "an idle gate costs nothing");
  ask("a");
  assert.deepEqual(passed, ["a at once"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnQueue } from "./turn-queue.ts";

test("[SEC-4] users take turns, however much one of them brings", () => {
  const queue = new TurnQueue<string>();
  for (const entry of ["a1", "a2", "a3", "a4"]) queue.add("a", entry);
  for (const entry of ["b1", "b2"]) queue.add("b", entry);
  assert.equal(queue.sizeOf("a"), 4);
  assert.equal(queue.remove("a", "a3"), true);
  assert.equal(queue.remove("a", "a3"), false);
  const taken: (string | undefined)[] = [];
  while (queue.size > 0) taken.push(queue.take());
  assert.deepEqual(taken, ["a1", "b1", "a2", "b2", "a4"]);
  assert.equal(queue.take(), undefined);
});

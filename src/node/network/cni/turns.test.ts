import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Turns } from "./turns.ts";

test("[CNI-1] one container at a time, several side by side, and some work alone", async () => {
  const keys = fc.array(fc.constantFrom("a", "b", "c", "alone"), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(keys, fc.infiniteStream(fc.nat(3)), async (order, pauses) => {
      const turns = new Turns();
      const running: string[] = [];
      const ended: string[] = [];
      const work = (key: string, name: string) => async () => {
        if (key === "alone") assert.deepEqual(running, []);
        assert(!running.includes(key) && !running.includes("alone"));
        running.push(key);
        const pause = pauses.next().value as number;
        for (let turn = 0; turn < pause; turn++) await Promise.resolve();
        running.splice(running.indexOf(key), 1);
        ended.push(name);
        if (pause === 3) throw new Error("failed");
      };
      const all = order.map((key, index) => {
        const task = work(key, `${key}${index}`);
        return key === "alone" ? turns.alone(task) : turns.on(key, task);
      });
      const outcomes = await Promise.allSettled(all);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected")
          assert.equal((outcome.reason as Error).message, "failed");
      }
      for (const key of new Set(order)) {
        const asked = order
          .map((one, index) => `${one}${index}`)
          .filter((name) => name.startsWith(key));
        assert.deepEqual(
          ended.filter((name) => name.startsWith(key)),
          asked,
        );
      }
    }),
  );
});

test("[CNI-1] different containers do not wait for each other", async () => {
  const turns = new Turns();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = turns.on("a", () => promise);
  await turns.on("b", async () => undefined);
  resolve();
  await slow;
});

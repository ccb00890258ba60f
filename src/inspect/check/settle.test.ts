import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { settle } from "./settle.ts";

test("[E2E-1] what failed is asked again until it passes or ten seconds are over, what passed is not", async () => {
  const clock = new FakeClock();
  const steps: string[] = [];
  const asked = new Map<string, number>();
  const settled = settle<string, { readonly text: string; readonly isRight: boolean }>(
    {
      questions: ["right", "wrong", "late"],
      ask: async (questions, tell) => {
        for (const text of questions) {
          const count = (asked.get(text) ?? 0) + 1;
          asked.set(text, count);
          tell(text, { text, isRight: text === "right" || (text === "late" && count > 2) });
        }
      },
      mayChange: ({ isRight }) => !isRight,
      describe: (count) => `${count} questions`,
    },
    {
      clock,
      signal: new AbortController().signal,
      progress: {
        step: (name, work) => {
          steps.push(name);
          return work();
        },
      },
    },
  );
  await clock.advance(20_000);
  assert.deepEqual(
    (await settled).map(({ text, isRight }) => `${text} ${isRight}`),
    ["right true", "wrong false", "late true"],
  );
  assert.deepEqual(steps.slice(0, 4), [
    "3 questions",
    "2 questions again",
    "2 questions again",
    "1 questions again",
  ]);
  assert.equal(asked.get("right"), 1);
  assert.equal(
    asked.get("wrong"),
    22,
    "every half second, and once after the last look at the clock",
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { NewestRevision } from "./newest-revision.ts";

test("an answer counts for nobody who came after its question", async () => {
  const questions: PromiseWithResolvers<number>[] = [];
  const newest = new NewestRevision(() => {
    const question = Promise.withResolvers<number>();
    questions.push(question);
    return question.promise;
  });
  const first = newest.get();
  const meanwhile = [newest.get(), newest.get()];
  assert.equal(questions.length, 1);
  questions[0]?.resolve(5);
  assert.equal(await first, 5);
  await new Promise(setImmediate);
  assert.equal(questions.length, 2);
  const later = newest.get();
  questions[1]?.resolve(7);
  assert.deepEqual(await Promise.all(meanwhile), [7, 7]);
  await new Promise(setImmediate);
  questions[2]?.resolve(9);
  assert.equal(await later, 9);
});

test("a question that fails does not fail those who come after it", async () => {
  let count = 0;
  const newest = new NewestRevision(() => {
    count += 1;
    return count === 1 ? Promise.reject(new Error("away")) : Promise.resolve(count);
  });
  const [first, second] = await Promise.allSettled([newest.get(), newest.get()]);
  assert.equal(first.status, "rejected");
  assert.deepEqual(second, { status: "fulfilled", value: 2 });
  assert.equal(await newest.get(), 3);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Flights } from "./flights.ts";

test("several wait for the same work, which is done once, and anew for the next", async () => {
  const flights = new Flights<number>();
  let done = 0;
  const work = () => Promise.resolve(++done);
  assert.deepEqual(await Promise.all([flights.join("a", work), flights.join("a", work)]), [1, 1]);
  assert.equal(await flights.join("a", work), 2);
});

test("who leaves does not take the work from the others; when all have left, it ends", async () => {
  const flights = new Flights<string>();
  const [first, second] = [new AbortController(), new AbortController()];
  let given: AbortSignal | undefined;
  const { promise, reject } = Promise.withResolvers<string>();
  const work = (signal: AbortSignal): Promise<string> => {
    given = signal;
    return promise;
  };
  const waiting = [first, second].map(({ signal }) => flights.join("a", work, { signal }));
  first.abort(new Error("first left"));
  await assert.rejects(waiting[0] ?? Promise.resolve(), /first left/);
  assert.equal(given?.aborted, false);
  second.abort(new Error("second left"));
  await assert.rejects(waiting[1] ?? Promise.resolve(), /second left/);
  assert.equal(given.aborted, true);
  reject(new Error("given up"));
});

test("a failure is told to all, and the next tries again", async () => {
  const flights = new Flights<string>();
  const failing = () => Promise.reject(new Error("no"));
  await assert.rejects(flights.join("a", failing), /no/);
  assert.equal(await flights.join("a", () => Promise.resolve("yes")), "yes");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseControllers } from "./choose.ts";

const entries = ["a", "b", "c"].map((name) => ({
  name,
  create: () => ({ name, run: async () => undefined }),
}));
const chosen = (...wanted: string[]) => chooseControllers(entries, wanted).map(({ name }) => name);

test("controllers are chosen by name, all at once, or left out", () => {
  assert.deepEqual(chosen("*"), ["a", "b", "c"]);
  assert.deepEqual(chosen("*", "-b"), ["a", "c"]);
  assert.deepEqual(chosen("c", "a"), ["a", "c"]);
  assert.deepEqual(chosen("-*", "b"), ["b"]);
  assert.deepEqual(chosen(), []);
  assert.throws(() => chosen("d"), /Cannot run the controller "d": there are a, b, c/);
});

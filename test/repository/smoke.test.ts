import assert from "node:assert/strict";
import { test } from "node:test";

test("x", () => {
  assert.equal(1, 1);
});

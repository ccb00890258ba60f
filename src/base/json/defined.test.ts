import assert from "node:assert/strict";
import { test } from "node:test";
import { defined } from "./defined.ts";

test("fields that are undefined are left out; null, false, 0 and empty text stay", () => {
  const fields = { a: undefined, b: null, c: false, d: 0, e: "", f: [undefined] };
  assert.deepEqual(Object.keys(defined(fields)), ["b", "c", "d", "e", "f"]);
});

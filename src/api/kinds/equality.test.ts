import assert from "node:assert/strict";
import { test } from "node:test";
import { sameMeaning } from "./equality.ts";

test("what is empty is as good as absent", () => {
  assert.ok(sameMeaning({ a: [], b: {}, c: "", d: false, e: undefined }, {}));
  assert.ok(sameMeaning({ a: { b: { c: [] } } }, undefined));
  assert.ok(sameMeaning([{ a: "" }], [{}]));
});

test("numbers, order and presence of elements count", () => {
  assert.ok(!sameMeaning({ a: 0 }, {}));
  assert.ok(!sameMeaning({ a: true }, {}));
  assert.ok(!sameMeaning([1, 2], [2, 1]));
  assert.ok(!sameMeaning([""], []));
});

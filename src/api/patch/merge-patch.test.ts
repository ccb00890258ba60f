import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { jsonValues } from "../../base/json/testing/json-values.ts";
import { applyMergePatch } from "./merge-patch.ts";

const values = jsonValues(3);
const names = fc.string().filter((name) => name !== "__proto__");

test("[API-1] merging twice is merging once", () => {
  fc.assert(
    fc.property(values, values, (target, patch) => {
      const once = applyMergePatch(target, patch);
      assert.deepEqual(applyMergePatch(once, patch), once);
    }),
  );
});

test("[API-1] nothing null is left of what a patch adds, outside of lists", () => {
  const nulls = (value: unknown): boolean =>
    value === null ||
    (typeof value === "object" && !Array.isArray(value) && Object.values(value).some(nulls));
  fc.assert(
    fc.property(fc.dictionary(names, values, { noNullPrototype: true }), (patch) => {
      assert.ok(!nulls(applyMergePatch({}, patch)));
    }),
  );
});

// The examples of RFC 7386, appendix A.
for (const [target, patch, result] of [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]) {
  test(`${JSON.stringify(target)} with ${JSON.stringify(patch)} is ${JSON.stringify(result)}`, () => {
    assert.deepEqual(applyMergePatch(target, patch), result);
  });
}

test("inherited fields are no target", () => {
  assert.deepEqual(applyMergePatch({}, { constructor: { a: 1 } }), { constructor: { a: 1 } });
});

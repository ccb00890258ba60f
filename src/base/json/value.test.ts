import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyText } from "../../../test/fixtures/any-text.ts";
import { canonicalJson, compareText, getOwn, sameJson } from "./value.ts";

test("text is ordered by its UTF-8 bytes", () => {
  const text = anyText();
  fc.assert(
    fc.property(text, text, (left, right) => {
      assert.equal(
        Math.sign(compareText(left, right)),
        Buffer.compare(Buffer.from(left), Buffer.from(right)),
      );
    }),
  );
  assert.equal(Math.sign(compareText("\u{1f600}", "\uffee")), 1);
});

test("equal values have equal canonical text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      assert.equal(sameJson(left, right), canonicalJson(left) === canonicalJson(right));
      assert.ok(sameJson(left, structuredClone(left)));
    }),
  );
  assert.ok(sameJson({ a: 1, b: [{}] }, { b: [{}], a: 1 }));
  assert.ok(!sameJson({ a: 1 }, { a: 1, b: 2 }));
  assert.ok(!sameJson([1], { 0: 1 }));
  assert.ok(!sameJson({ constructor: 1 }, { a: 1 }));
});

test("inherited properties do not count", () => {
  assert.equal(getOwn({}, "constructor"), undefined);
  assert.equal(getOwn({ constructor: "x" }, "constructor"), "x");
});

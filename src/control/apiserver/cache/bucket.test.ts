import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Bucket } from "./bucket.ts";
import { Item } from "./item.ts";

const item = (name: string, modified: number) =>
  new Item({ namespace: "a", name }, Buffer.from("{}"), { modified });

test("a bucket is always in order and holds what a plain map would", () => {
  const change = fc.record({
    name: fc.constantFrom("a", "b", "c-1", "c", "d.x"),
    isGone: fc.boolean(),
    look: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const bucket = new Bucket("a");
      const model = new Map<string, number>();
      for (const [index, { name, isGone, look }] of changes.entries()) {
        if (isGone) bucket.delete(name);
        else bucket.set(item(name, index + 1));
        if (isGone) model.delete(name);
        else model.set(name, index + 1);
        if (look) bucket.sorted();
      }
      const expected = [...model].toSorted(([left], [right]) => (left < right ? -1 : 1));
      assert.deepEqual(
        bucket.sorted().map(({ name, modified }) => [name, modified]),
        expected,
      );
      assert.equal(bucket.size, model.size);
    }),
  );
});

test("a list that was handed out does not change", () => {
  const bucket = new Bucket("a");
  bucket.set(item("x", 1));
  const before = bucket.sorted();
  bucket.set(item("x", 2));
  bucket.set(item("w", 3));
  assert.deepEqual(
    bucket.sorted().map(({ modified }) => modified),
    [3, 2],
  );
  assert.deepEqual(
    before.map(({ modified }) => modified),
    [1],
  );
});

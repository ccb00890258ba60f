import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Ordered } from "./ordered.ts";

test("[API-2] what is put in comes out in order, however it came in", () => {
  const numbers = fc.array(fc.tuple(fc.nat(3000), fc.boolean()), { maxLength: 4000, size: "max" });
  const property = fc.property(numbers, fc.nat(3000), fc.nat(3000), (steps, one, other) => {
    const ordered = new Ordered<{ key: string }>();
    const model = new Map<string, { key: string }>();
    for (const [number, keeps] of steps) {
      const item = { key: String(number).padStart(4, "0") };
      if (keeps) {
        assert.equal(ordered.set(item), model.get(item.key));
        model.set(item.key, item);
      } else {
        ordered.delete(item.key);
        model.delete(item.key);
      }
    }
    const expected = [...model.keys()].toSorted();
    const [start, end] = [one, other].map((number) => String(number).padStart(4, "0")).toSorted();
    assert.deepEqual(
      [...ordered.from("")].map(({ key }) => key),
      expected,
    );
    const within = expected.filter((key) => key >= (start ?? "") && key < (end ?? ""));
    assert.equal(ordered.count(start ?? "", end ?? ""), within.length);
    assert.deepEqual(ordered.get(start ?? ""), model.get(start ?? ""));
    assert.equal(
      [...ordered.from(start ?? "")][0]?.key,
      expected.find((key) => key >= (start ?? "")),
    );
  });
  fc.assert(property, { numRuns: 50 });
});

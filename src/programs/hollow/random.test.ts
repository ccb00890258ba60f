import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { drawn, seededRandom } from "./random.ts";

const numbers = (seed: number, name: string) => {
  const random = seededRandom(seed, name);
  return Array.from({ length: 5 }, () => random.fraction());
};

test("a seed repeats the numbers of a node, and nodes have different ones", () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), (seed, name) => {
      assert.deepEqual(numbers(seed, name), numbers(seed, name));
      assert.notDeepEqual(numbers(seed, name), numbers(seed, `${name}x`));
      assert.notDeepEqual(numbers(seed, name), numbers(seed + 1, name));
    }),
  );
});

test("drawn times are within their range, and spread over it", () => {
  const random = seededRandom(1, "node");
  const times = Array.from({ length: 1_000 }, () => drawn({ from: 100, to: 200 }, random));
  assert.ok(times.every((time) => time >= 100 && time < 200));
  for (let tenth = 100; tenth < 200; tenth += 10) {
    const count = times.filter((time) => time >= tenth && time < tenth + 10).length;
    assert.ok(count > 50 && count < 150, `${count} from ${tenth}`);
  }
});

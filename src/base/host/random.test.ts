import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeRandom } from "./random.fake.ts";
import { systemRandom } from "./random.system.ts";
import type { Random } from "./random.ts";

const kinds: readonly (readonly [string, Random])[] = [
  ["system", systemRandom],
  ["fake", new FakeRandom()],
];
for (const [kind, random] of kinds) {
  describe(`${kind} random`, () => {
    test("fractions spread over all of their range", () => {
      const tenths = new Set<number>();
      for (let turn = 0; turn < 1000; turn++) {
        const fraction = random.fraction();
        assert(fraction >= 0 && fraction < 1);
        tenths.add(Math.floor(fraction * 10));
      }
      assert.equal(tenths.size, 10);
    });

    test("bytes come in the asked number and differ", () => {
      assert.equal(random.bytes(16).length, 16);
      assert.notDeepEqual(random.bytes(16), random.bytes(16));
    });
  });
}

test("the fake repeats itself for the same seed only", () => {
  assert.deepEqual(new FakeRandom(7).bytes(8), new FakeRandom(7).bytes(8));
  assert.notDeepEqual(new FakeRandom(7).bytes(8), new FakeRandom(8).bytes(8));
});

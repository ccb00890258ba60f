import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeRandom } from "./random.fake.ts";
import { systemRandom } from "./random.system.ts";
import type { Random } from "./random.ts";
import { uuidFrom } from "./random.ts";

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

test("a UUID is of version 4, and another each time", () => {
  for (const random of [systemRandom, new FakeRandom()]) {
    const made = Array.from({ length: 100 }, () => uuidFrom(random));
    for (const uuid of made) {
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    assert.equal(new Set(made).size, made.length);
  }
});

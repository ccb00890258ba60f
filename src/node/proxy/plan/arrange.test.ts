import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { arrange } from "./arrange.ts";
import { type Endpoint, endpointText, type Pool } from "./frontend.ts";

const endpoint = (n: number, isLocal = false): Endpoint => ({
  address: `10.0.0.${n}`,
  port: 80,
  isLocal,
});
const text = (pool: Pool) => pool.map(endpointText).join(" ");

const pools = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 20 });

test("a pool holds exactly what is wanted, whatever it held before", () => {
  fc.assert(
    fc.property(pools, pools, (before, after) => {
      const arranged = arrange(
        arrange(
          [],
          before.map((n) => endpoint(n)),
        ),
        after.map((n) => endpoint(n)),
      );
      assert.deepEqual(
        arranged.map(endpointText).toSorted(),
        after.map((n) => endpointText(endpoint(n))).toSorted(),
      );
    }),
  );
});

test("[PROXY-6] one endpoint that comes, goes or is replaced changes two places at most", () => {
  fc.assert(
    fc.property(pools, fc.nat(), fc.boolean(), (numbers, victim, replace) => {
      const before = arrange(
        [],
        numbers.map((n) => endpoint(n)),
      );
      const survivors = before.filter((_, place) => place !== victim % (before.length + 1));
      const after = arrange(before, replace ? [...survivors, endpoint(99)] : survivors);
      const places = Math.max(before.length, after.length);
      const changed = Array.from({ length: places }, (_, n) => before[n] !== after[n]);
      assert(changed.filter(Boolean).length <= 2);
    }),
  );
});

test("the last one moves into a gap; a newcomer takes it first", () => {
  const before = arrange(
    [],
    [1, 2, 3, 4].map((n) => endpoint(n)),
  );
  const without = before.filter((one) => one.address !== "10.0.0.2");
  assert.equal(text(arrange(before, without)), "10.0.0.1:80 10.0.0.4:80 10.0.0.3:80");
  assert.equal(
    text(arrange(before, [...without, endpoint(9)])),
    "10.0.0.1:80 10.0.0.9:80 10.0.0.3:80 10.0.0.4:80",
  );
});

test("an unchanged pool is the same object, one that became local is not", () => {
  const before = arrange(
    [],
    [1, 2].map((n) => endpoint(n)),
  );
  assert.equal(arrange(before, [endpoint(2), endpoint(1)]), before);
  assert.equal(arrange(before, [endpoint(1), endpoint(2, true)])[1]?.isLocal, true);
});

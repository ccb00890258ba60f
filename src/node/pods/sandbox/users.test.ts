import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { freeRange } from "./users.ts";

test("[SEC-1] users of pods never overlap, and are nobody's on the machine", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { maxLength: 60 }),
      (all) => {
        const taken = all.reduce<readonly { first: number; count: number }[]>(
          (before, bytes) => [
            ...before,
            freeRange(before, { fraction: () => 0, bytes: () => bytes }),
          ],
          [],
        );
        for (const { first, count } of taken) {
          assert.ok(first >= 2 ** 30 && first + count <= 2 ** 31);
          assert.equal(first % count, 0);
        }
        assert.equal(new Set(taken.map(({ first }) => first)).size, taken.length);
      },
    ),
  );
});

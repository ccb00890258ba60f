import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  canonicalAmount,
  formatQuantity,
  nanosOf,
  parseQuantity,
  type Quantity,
} from "./quantity.ts";

const forms: readonly [given: string | number, canonical: string][] = [
  ["1", "1"],
  [1, "1"],
  [0.5, "500m"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["0.1", "100m"],
  ["100000", "100k"],
  ["1024Ki", "1Mi"],
  ["1.5Gi", "1536Mi"],
  ["1000Mi", "1000Mi"],
  ["0.5Ki", "512"],
  ["1536", "1536"],
  ["1e3", "1e3"],
  ["12e2", "1200"],
  ["1E", "1E"],
  ["-1.5", "-1500m"],
  ["-2Ki", "-2Ki"],
  ["0", "0"],
  ["0Ki", "0"],
  [".5", "500m"],
  ["5.", "5"],
  ["0.0000000001", "1n"],
];

test("every quantity has one text form", () => {
  for (const [given, canonical] of forms) {
    assert.equal(formatQuantity(parseQuantity(given)), canonical, String(given));
  }
});

test("amounts of resources are rounded up to thousandths", () => {
  assert.equal(canonicalAmount("999n"), "1m");
  assert.equal(canonicalAmount("0.0001"), "1m");
  assert.equal(canonicalAmount("-0.0001"), "-1m");
  assert.equal(canonicalAmount("1.0005"), "1001m");
});

test("what is no quantity is refused", () => {
  for (const text of ["", "-", ".", "1 Gi", "1KB", "Gi", "0x1", "1e"]) {
    assert.throws(() => parseQuantity(text), RangeError, text);
  }
});

const quantities: fc.Arbitrary<Quantity> = fc.record({
  nanos: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  notation: fc.constantFrom("decimal", "binary", "exponent"),
});

test("a formatted quantity parses to the same value", () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      const text = formatQuantity(quantity);
      assert.equal(nanosOf(text), quantity.nanos);
      assert.equal(formatQuantity(parseQuantity(text)), text);
    }),
  );
});

test("the order of amounts is that of numbers", () => {
  const amounts = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(amounts, amounts, (left, right) => {
      assert.equal(nanosOf(`${left}m`) < nanosOf(`${right}m`), left < right);
    }),
  );
});

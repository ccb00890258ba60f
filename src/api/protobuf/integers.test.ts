import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exactInteger, hasLongDigits } from "../../base/json/integer.ts";
import { parseJson } from "../../base/json/parse-json.ts";
import { parseYaml } from "../../base/json/parse-yaml.ts";
import { readJson } from "../../base/json/read-json.ts";
import { sameJson } from "../../base/json/value.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { decodeProtobuf, encodeProtobuf } from "./envelope.ts";

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(3546343826724305833n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 10n ** 18n),
  // The doubles that print these digits are other integers.
  fc.constantFrom(91194942950920590n, -91194942950920590n),
);

test("[API-12] an integer of 64 bits is written as it was read, from JSON, YAML and protobuf", () => {
  fc.assert(
    fc.property(int64, (integer) => {
      const text = `{"apiVersion":"v1","kind":"Pod","metadata":{"generation":${integer}}}`;
      const value = parseJson(text) as Record<string, unknown>;
      assert.equal(JSON.stringify(value), text);
      assert.equal(JSON.stringify(readJson(text)), text);
      assert.ok(sameJson(parseYaml(`a: ${integer}`), parseJson(`{"a":${integer}}`)));
      if (integer === 0n) return;
      assert.equal(JSON.stringify(decodeProtobuf(encodeProtobuf(value))), text);
    }),
  );
});

test("[API-12] equal integers have one form, whatever digits they are made of", () => {
  fc.assert(
    fc.property(int64, (integer) => {
      assert.equal(exactInteger(integer), exactInteger(String(integer)));
      assert.equal(String(exactInteger(integer)), String(integer));
    }),
  );
});

test("[API-12] more than 64 bits are refused", () => {
  for (const digits of ["9223372036854775808", "-9223372036854775809", "18446744073709551615"]) {
    assert.throws(
      () => parseJson(`{"a":${digits}}`),
      /Cannot accept a: the number .* out of range/,
    );
    assert.throws(() => parseYaml(`a: ${digits}`), /Cannot accept a: the number .* out of range/);
  }
});

test("[API-12] a text with digits is no number, and a patch keeps what it does not touch", () => {
  const text = '{"a":"3546343826724305833","b":3546343826724305833,"c":[1.5,3546343826724305833]}';
  const value = parseJson(text);
  assert.equal(JSON.stringify(value), text);
  assert.equal(
    JSON.stringify(applyMergePatch(value, parseJson('{"d":9223372036854775807}'))),
    `${text.slice(0, -1)},"d":9223372036854775807}`,
  );
});

test("sixteen digits in a row are found wherever they stand", () => {
  const text = fc.string({ unit: fc.constantFrom("1", "22222222", "9", '"', "a") });
  fc.assert(fc.property(text, (one) => hasLongDigits(one) === /\d{16}/.test(one)));
});

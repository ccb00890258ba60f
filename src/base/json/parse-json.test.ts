import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isParseError, type ParseReason } from "./error.ts";
import { parseJson } from "./parse-json.ts";
import { readJson } from "./read-json.ts";

test("[API-4] every JSON value without reserved names survives a round trip", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      if (text.includes("__proto__")) return;
      assert.deepEqual(parseJson(text), readJson(text));
      assert.deepEqual(parseJson(new TextEncoder().encode(text)), readJson(text));
    }),
  );
});

test("[API-4] any text either parses as JSON.parse does or is refused with a ParseError", () => {
  const pieces = fc.constantFrom(
    ...'{}[],:"\\ \n'.split(""),
    "__proto__",
    "\\u005f",
    "\\ud800",
    "1e999",
    "9007199254740993",
    "true",
    '"a"',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const result = attempt(() => parseJson(text));
      if (!isParseError(result)) assert.deepEqual(result, readJson(text));
    }),
    { numRuns: 2000 },
  );
});

const refusals: [string, string | Uint8Array, ParseReason, string?][] = [
  ["no value", "", "InvalidSyntax"],
  ["a trailing comma", '{"a":1,}', "InvalidSyntax"],
  ["two values", "{} {}", "InvalidSyntax"],
  ["a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d), "InvalidSyntax"],
  ["a broken byte", Uint8Array.of(0x22, 0xff, 0x22), "InvalidEncoding"],
  ["a cut-off character", Uint8Array.of(0x22, 0xef, 0xbf), "InvalidEncoding"],
  ["a reserved name", '{"metadata":{"__proto__":{"x":1}}}', "ForbiddenKey", "metadata.__proto__"],
  ["a reserved name in disguise", '{"\\u005f_proto__":1}', "ForbiddenKey", "__proto__"],
  [
    "an integer of more than 64 bits",
    '{"a":[{"b":9223372036854775809}]}',
    "InvalidNumber",
    "a[0].b",
  ],
  ["an endless number", '{"a":1e400}', "InvalidNumber", "a"],
  ["half a surrogate pair", '{"a":"\\ud800"}', "InvalidText", "a"],
  ["half a surrogate pair in a name", '{"\\udc00":1}', "InvalidText"],
  ["deep nesting", "[".repeat(100_000), "TooDeep"],
  ["deep nesting in objects", `${'{"a":'.repeat(513)}1${"}".repeat(513)}`, "TooDeep"],
  ["a large body", `"${"x".repeat(4 * 1024 * 1024)}"`, "TooLarge"],
];

for (const [name, body, reason, field] of refusals) {
  test(`[API-4] JSON is refused for ${name}: ${reason}`, () => {
    const error = attempt(() => parseJson(body));
    assert.ok(isParseError(error), String(error));
    assert.equal(error.reason, reason);
    if (field !== undefined) assert.equal(error.field, field);
  });
}

test("a syntax error tells its place", () => {
  const error = attempt(() => parseJson('{\n  "a": x\n}'));
  assert.ok(isParseError(error));
  assert.equal(error.position, 9);
  assert.match(error.message, /line 2, column 8/);
});

test("the place of a syntax error is where the longest valid beginning ends", () => {
  for (const [text, position] of [
    ["", 0],
    ["  ", 2],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["[1 2]", 3],
    ["[1,]", 3],
    ["[}", 1],
    ["tru", 0],
    ["[01]", 1],
    ['["a\nb"]', 1],
    ["{} {}", 3],
    ['{"a":[{"b":nul}]}', 11],
  ] as const) {
    const error = attempt(() => parseJson(text));
    assert.ok(isParseError(error), text);
    assert.equal(error.position, position, text);
  }
});

test("what only looks unsafe is accepted", () => {
  for (const text of [
    '{"a":"9007199254740993"}',
    '{"a":9007199254740992,"b":-9007199254740991,"c":100000000000000000000}',
    '{"a":0.12345678901234567890,"b":1e-400,"c":1e100}',
    '{"a":"__proto__","b":"\\u005f","c":"\\ud83d\\ude00","constructor":{"prototype":1}}',
    '{"a":"[[[[{{{{\\\\","b":"\\"[["}',
  ]) {
    assert.deepEqual(parseJson(text, { maxDepth: 3 }), readJson(text));
  }
});

test("objects stay plain: no name reaches a prototype", () => {
  const value = parseJson('{"constructor":{"prototype":{"polluted":true}}}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

test("repeated fields are told by path, only when asked for", () => {
  const told: string[] = [];
  const text =
    '{"spec":{"replicas":1,"ports":[{"a":1},{"b":2,"b":3}],"replicas":2},"a\\u0062":1,"ab":2}';
  const value = parseJson(text, { onDuplicate: (path) => told.push(path) });
  assert.deepEqual(told, ["spec.ports[1].b", "spec.replicas", "ab"]);
  assert.deepEqual(value, readJson(text));
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

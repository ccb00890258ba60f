import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { stringify } from "yaml";
import { isParseError, type ParseReason } from "./error.ts";
import { parseYaml } from "./parse-yaml.ts";
import { readJson } from "./read-json.ts";

test("[API-4] every JSON value written as YAML survives a round trip", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      if (JSON.stringify(value).includes("__proto__")) return;
      const text = stringify(value, { version: "1.2", aliasDuplicateObjects: false });
      assert.deepEqual(parseYaml(text), readJson(JSON.stringify(value)));
    }),
    { numRuns: 200 },
  );
});

test("YAML 1.2: yes, no and on are text; octal needs 0o; JSON is YAML", () => {
  assert.deepEqual(parseYaml("a: yes\nb: on\nc: 010\nd: 0o10\ne: 1.5\nf: ~\n"), {
    a: "yes",
    b: "on",
    c: 10,
    d: 8,
    e: 1.5,
    f: null,
  });
  assert.deepEqual(parseYaml('{"a":[1,true,null]}'), { a: [1, true, null] });
  assert.deepEqual(parseYaml("{a: 1, b: [x]}"), { a: 1, b: ["x"] });
});

const laughs = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
  .map((name, index, names) => {
    const inner = index === 0 ? "x" : `*${names[index - 1]}`;
    return `${name}: &${name} [${Array(9).fill(inner).join(",")}]`;
  })
  .join("\n");

const refusals: [string, string, ParseReason][] = [
  ["nothing", "", "InvalidSyntax"],
  ["too much of it", "a: b\n".repeat(450_000), "TooLarge"],
  ["bad indentation", "a:\n  - b\n c: 1\n", "InvalidSyntax"],
  ["two documents", "a: 1\n---\nb: 2\n", "SeveralDocuments"],
  ["a billion laughs", laughs, "InvalidAlias"],
  [
    "a large anchor used often",
    `a: &a [${"1,".repeat(20_000)}]\nb: [${"*a,".repeat(90)}]`,
    "InvalidAlias",
  ],
  ["an alias of nothing", "a: *b\n", "InvalidAlias"],
  ["an alias of itself", "a: &a [*a]\n", "InvalidAlias"],
  ["a reserved name", "metadata:\n  __proto__: {x: 1}\n", "ForbiddenKey"],
  ["an integer of more than 64 bits", "a: 9223372036854775809\n", "InvalidNumber"],
  ["infinity", "a: .inf\n", "InvalidNumber"],
  ["deep flow nesting", "[".repeat(100_000), "TooDeep"],
  ["deep keys", `${"? ".repeat(600)}x\n`, "InvalidSyntax"],
  ["a list as a key", "[1, 2]: x\n", "InvalidSyntax"],
  ["deep block nesting", `${"- ".repeat(600)}x\n`, "TooDeep"],
];

for (const [name, text, reason] of refusals) {
  test(`[API-4] YAML is refused for ${name}: ${reason}`, () => {
    assert.throws(
      () => parseYaml(text),
      (error) => {
        assert.ok(isParseError(error), String(error));
        assert.equal(error.reason, reason);
        return true;
      },
    );
  });
}

test("repeated keys are told by path, and the last one counts", () => {
  for (const text of ["a:\n  - {x: 1, x: 2}\nb: 1\nb: 3\n", '{"a":[{"x":1,"x":2}],"b":1,"b":3}']) {
    const told: string[] = [];
    const value = parseYaml(text, { onDuplicate: (path) => told.push(path) });
    assert.deepEqual(told, ["a[0].x", "b"]);
    assert.deepEqual(value, { a: [{ x: 2 }], b: 3 });
  }
});

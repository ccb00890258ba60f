import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readJson } from "./read-json.ts";

const names = fc.string({ unit: fc.constantFrom('"', "\\", "\n", "a", "é"), maxLength: 3 });

test("[API-4] names with escapes are read as they are written, whatever was read before", () => {
  assert.deepEqual(readJson('[{"\\\\":1},{"\\"":2},{"\\n":3}]'), [
    { "\\": 1 },
    { '"': 2 },
    { "\n": 3 },
  ]);
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true }), (value) => {
      const text = JSON.stringify(value);
      assert.equal(JSON.stringify(readJson(text)), text);
    }),
    { numRuns: 500 },
  );
});

test("[API-4] all of JSON is read, after a name with a backslash as before", () => {
  readJson('{"\\\\":1}');
  const text = ` { "a" : [ ] , "b\\t":{ } ,"c":[1,-2.5e+3 , true,false,null,"\\u0041\\\\"], "d": { "e": [ { } ] } }\n`;
  assert.deepEqual(readJson(text), {
    a: [],
    "b\t": {},
    c: [1, -2500, true, false, null, "A\\"],
    d: { e: [{}] },
  });
  const inherited = readJson('{"toString":1,"x\\n":2,"__proto__":{"y":3}}');
  assert.deepEqual(Object.entries(inherited as object), [
    ["toString", 1],
    ["x\n", 2],
    ["__proto__", { y: 3 }],
  ]);
});

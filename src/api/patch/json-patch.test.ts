import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { jsonValues } from "../../base/json/testing/json-values.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { isPatchError, type PatchReason } from "./error.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { formatPointer, parsePointer } from "./pointer.ts";

const name = fc.constantFrom("a", "b/c", "d~e", "~1", "", "constructor");
const values = jsonValues(2);
const documents = fc.dictionary(name, values, { noNullPrototype: true });

function at(...steps: string[]): string {
  return formatPointer(steps);
}

test("pointers are read and written with their escapes", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (steps) => {
      fc.pre(!steps.includes("__proto__"));
      assert.deepEqual(parsePointer(formatPointer(steps)), steps);
    }),
  );
  assert.deepEqual(parsePointer("/a~1b/~01/"), ["a/b", "~1", ""]);
});

test("[API-1] what is added is there, and removing it restores the document", () => {
  fc.assert(
    fc.property(documents, name, values, (document, key, value) => {
      const added = applyJsonPatch(document, [
        { op: "add", path: at(key), value },
        { op: "test", path: at(key), value },
      ]);
      assert.deepEqual(added, { ...document, [key]: value });
      fc.pre(!Object.hasOwn(document, key));
      assert.deepEqual(
        applyJsonPatch(added as JsonObject, [{ op: "remove", path: at(key) }]),
        document,
      );
    }),
  );
});

test("[API-1] a move is a copy and a removal", () => {
  fc.assert(
    fc.property(documents, name, name, (document, from, path) => {
      fc.pre(Object.hasOwn(document, from) && from !== path);
      assert.deepEqual(
        applyJsonPatch(document, [{ op: "move", from: at(from), path: at(path) }]),
        applyJsonPatch(document, [
          { op: "copy", from: at(from), path: at(path) },
          { op: "remove", path: at(from) },
        ]),
      );
    }),
  );
});

test("lists: insertion, the end, counting from the end", () => {
  const document = { a: [1, 2, 3] };
  for (const [operation, expected] of [
    [{ op: "add", path: "/a/1", value: 9 }, [1, 9, 2, 3]],
    [{ op: "add", path: "/a/-", value: 9 }, [1, 2, 3, 9]],
    [{ op: "add", path: "/a/3", value: 9 }, [1, 2, 3, 9]],
    [{ op: "remove", path: "/a/-1" }, [1, 2]],
    [{ op: "replace", path: "/a/0", value: null }, [null, 2, 3]],
    [{ op: "move", from: "/a/0", path: "/a/2" }, [2, 3, 1]],
  ] as const) {
    assert.deepEqual(applyJsonPatch(document, [operation]), { a: expected });
  }
});

test("a field that is not there can be replaced and passes for null", () => {
  assert.deepEqual(applyJsonPatch({ a: {} }, [{ op: "replace", path: "/a/b", value: 1 }]), {
    a: { b: 1 },
  });
  assert.deepEqual(applyJsonPatch({}, [{ op: "test", path: "/a", value: null }]), {});
});

const refusals: [string, unknown, PatchReason][] = [
  ["no list", { op: "add" }, "BadRequest"],
  ["no object", [1], "BadRequest"],
  ["no path", [{ op: "remove" }], "BadRequest"],
  ["no value", [{ op: "add", path: "/a" }], "BadRequest"],
  ["no source", [{ op: "copy", path: "/a" }], "BadRequest"],
  ["an unknown operation", [{ op: "merge", path: "/a" }], "BadRequest"],
  ["a path without slash", [{ op: "remove", path: "a" }], "BadRequest"],
  ["a reserved name", [{ op: "add", path: "/__proto__/x", value: 1 }], "BadRequest"],
  ["a failed test", [{ op: "test", path: "/list/0", value: 2 }], "Invalid"],
  ["a test beyond a list", [{ op: "test", path: "/list/7", value: null }], "Invalid"],
  ["a missing field", [{ op: "remove", path: "/x" }], "Invalid"],
  ["an inherited field", [{ op: "copy", from: "/constructor", path: "/x" }], "Invalid"],
  ["a missing parent", [{ op: "add", path: "/x/y", value: 1 }], "Invalid"],
  ["a missing source", [{ op: "copy", from: "/x", path: "/y" }], "Invalid"],
  ["an index beyond the end", [{ op: "add", path: "/list/2", value: 1 }], "Invalid"],
  ["an index with zeros", [{ op: "remove", path: "/list/00" }], "Invalid"],
  ["a scalar as a parent", [{ op: "add", path: "/list/0/x", value: 1 }], "Invalid"],
  ["a move into itself", [{ op: "move", from: "/deep", path: "/deep/er" }], "Invalid"],
  [
    "too many operations",
    Array.from({ length: 10_001 }, () => ({ op: "test", path: "/x", value: null })),
    "RequestEntityTooLarge",
  ],
  [
    "copies of copies",
    Array.from({ length: 64 }, () => ({ op: "copy", from: "/list", path: "/list/-" })),
    "RequestEntityTooLarge",
  ],
];

for (const [what, patch, reason] of refusals) {
  test(`[API-4] a JSON patch is refused for ${what}: ${reason}`, () => {
    const document = { list: [1], deep: { x: "x".repeat(100) } };
    const before = structuredClone(document);
    assert.throws(
      () => applyJsonPatch(document, patch),
      (error) => isPatchError(error) && error.reason === reason,
    );
    assert.deepEqual(document, before);
  });
}

test("no patch reaches a prototype", () => {
  const patched = applyJsonPatch({}, [
    { op: "add", path: "/constructor", value: { prototype: 1 } },
  ]);
  assert.deepEqual(patched, { constructor: { prototype: 1 } });
  assert.equal(Object.getPrototypeOf(patched), Object.prototype);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { defined } from "../../base/json/defined.ts";
import { jsonValues } from "../../base/json/testing/json-values.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { PatchSemantics, Schema } from "../schema/model.ts";
import { isPatchError, type PatchReason } from "./error.ts";
import { applyStrategicMergePatch } from "./strategic.ts";

const text: Schema = { type: "string" };

function objectOf(fields: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(fields).map(([name, schema]) => [name, { schema }] as const);
  return { type: "object", fields: new Map(entries) };
}

function merging(items: Schema, mergeKey?: string): Schema {
  const patch: PatchSemantics = {
    strategies: ["merge"],
    ...defined({ mergeKey }),
  };
  return { type: "array", items, patch };
}

const schema = objectOf({
  labels: { type: "map", items: text },
  finalizers: merging(text),
  tolerations: { type: "array", items: objectOf({ key: text }) },
  strategy: {
    ...objectOf({ type: text, rolling: objectOf({ max: text }) }),
    patch: { strategies: ["retainKeys"] },
  },
  containers: merging(
    objectOf({
      name: text,
      image: text,
      env: merging(objectOf({ name: text, value: text }), "name"),
    }),
    "name",
  ),
  raw: { type: "any" },
});

function patched(object: JsonObject, patch: unknown): JsonObject {
  return applyStrategicMergePatch(schema, object, patch);
}

const word = fc.constantFrom("a", "b", "c");
const env = fc.uniqueArray(fc.record({ name: word, value: word }, { noNullPrototype: true }), {
  selector: ({ name }) => name,
});
const objects: fc.Arbitrary<JsonObject> = fc.record(
  {
    labels: fc.dictionary(word, word, { noNullPrototype: true }),
    finalizers: fc.uniqueArray(word),
    tolerations: fc.array(fc.record({ key: word }, { noNullPrototype: true })),
    containers: fc.uniqueArray(
      fc.record(
        { name: word, image: word, env },
        { requiredKeys: ["name"], noNullPrototype: true },
      ),
      { selector: ({ name }) => name },
    ),
    raw: jsonValues(2).filter((value) => !JSON.stringify(value).includes("null")),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test("[API-1] patching twice is patching once", () => {
  fc.assert(
    fc.property(objects, objects, (object, patch) => {
      const once = patched(object, patch);
      assert.deepEqual(patched(once, patch), once);
    }),
  );
});

test("[API-1] an empty patch changes nothing; an object patched with itself stays itself", () => {
  fc.assert(
    fc.property(objects, (object) => {
      assert.deepEqual(patched(object, {}), object);
      assert.deepEqual(patched(object, object), object);
    }),
  );
});

const container = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more });
const names = (...list: string[]): JsonObject[] => list.map((name) => ({ name }));

const examples: [string, JsonObject, JsonObject, JsonObject][] = [
  [
    "elements merge by key; new ones come before those they never stood behind",
    { containers: [container("a", { image: "1" }), container("b")] },
    { containers: [container("b", { image: "2" }), container("c")] },
    {
      containers: [container("a", { image: "1" }), container("b", { image: "2" }), container("c")],
    },
  ],
  [
    "an element is deleted",
    { containers: names("a", "b") },
    { containers: [container("a", { $patch: "delete" })] },
    { containers: names("b") },
  ],
  [
    "a list is replaced",
    { containers: names("a", "b") },
    { containers: [...names("c"), { $patch: "replace" }] },
    { containers: names("c") },
  ],
  [
    "a list without a key is replaced, whatever it says",
    { tolerations: [{ key: "a" }] },
    { tolerations: [{ key: "b" }, { $patch: "replace" }] },
    { tolerations: [{ key: "b" }] },
  ],
  [
    "an object is replaced",
    { labels: { a: "1" } },
    { labels: { $patch: "replace", b: "2" } },
    { labels: { b: "2" } },
  ],
  [
    "an object is emptied",
    { labels: { a: "1" } },
    { labels: { $patch: "delete" } },
    { labels: {} },
  ],
  ["null removes", { labels: { a: "1", b: "2" } }, { labels: { a: null } }, { labels: { b: "2" } }],
  [
    "values of the patch come first, unless the live list says otherwise",
    { finalizers: ["a", "b"] },
    { finalizers: ["c", "a"] },
    { finalizers: ["c", "a", "b"] },
  ],
  [
    "values are taken out of a list of values",
    { finalizers: ["a", "b", "c"] },
    { "$deleteFromPrimitiveList/finalizers": ["b"], "$setElementOrder/finalizers": ["c", "a"] },
    { finalizers: ["c", "a"] },
  ],
  [
    "the order of elements is set; others keep their neighbours",
    { containers: names("a", "x", "b") },
    { "$setElementOrder/containers": names("b", "a") },
    { containers: names("x", "b", "a") },
  ],
  [
    "a list that is added may repeat a key",
    {},
    {
      "$setElementOrder/containers": names("a", "a"),
      containers: [container("a"), container("a", { image: "2" })],
    },
    { containers: [container("a"), container("a", { image: "2" })] },
  ],
  [
    "only retained keys stay",
    { strategy: { type: "Rolling", rolling: { max: "1" } } },
    { strategy: { $retainKeys: ["type"], type: "Recreate" } },
    { strategy: { type: "Recreate" } },
  ],
  [
    "retained keys of an object that is added leave no trace",
    {},
    { strategy: { $retainKeys: ["type"], type: "Recreate" } },
    { strategy: { type: "Recreate" } },
  ],
  [
    "lists inside elements merge",
    { containers: [container("a", { env: [{ name: "x", value: "1" }] })] },
    { containers: [container("a", { env: [{ name: "y", value: "2" }] })] },
    {
      containers: [
        container("a", {
          env: [
            { name: "y", value: "2" },
            { name: "x", value: "1" },
          ],
        }),
      ],
    },
  ],
  [
    "what has no schema merges like a merge patch",
    { raw: { a: { b: 1 }, l: [1] } },
    { raw: { a: { c: 2 }, l: [2] } },
    { raw: { a: { b: 1, c: 2 }, l: [2] } },
  ],
  [
    "inherited names are fields like others",
    { labels: {} },
    { labels: { constructor: "x" } },
    { labels: { constructor: "x" } },
  ],
];

for (const [what, object, patch, expected] of examples) {
  test(what, () => {
    assert.deepEqual(patched(object, patch), expected);
  });
}

const refusals: [string, unknown, PatchReason][] = [
  ["no object", [], "BadRequest"],
  ["an unknown directive", { labels: { $patch: "merge" } }, "BadRequest"],
  [
    "an unknown directive in a list",
    { containers: [container("a", { $patch: "merge" })] },
    "BadRequest",
  ],
  ["a deletion list without a field", { $deleteFromPrimitiveList: [] }, "BadRequest"],
  ["a deletion that is no list", { "$deleteFromPrimitiveList/finalizers": "a" }, "BadRequest"],
  ["an order that is no list", { "$setElementOrder/containers": {} }, "BadRequest"],
  [
    "an order against the patch",
    { "$setElementOrder/containers": names("a", "b"), containers: names("b", "a") },
    "BadRequest",
  ],
  [
    "an order that leaves out an element",
    { "$setElementOrder/containers": names("a"), containers: names("b") },
    "BadRequest",
  ],
  ["a field beyond those retained", { strategy: { $retainKeys: [], type: "x" } }, "BadRequest"],
  ["retained keys that are no list", { strategy: { $retainKeys: 1 } }, "BadRequest"],
  ["an element without key", { containers: [{ image: "x" }] }, "Invalid"],
  ["a deletion without key", { containers: [{ $patch: "delete" }] }, "Invalid"],
  ["elements of several types", { containers: ["a"] }, "Invalid"],
];

for (const [what, patch, reason] of refusals) {
  test(`[API-4] a strategic patch is refused for ${what}: ${reason}`, () => {
    const object = { containers: names("a"), labels: {}, strategy: {}, finalizers: ["a"] };
    assert.throws(
      () => patched(object, patch),
      (error) => isPatchError(error) && error.reason === reason,
    );
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readJson } from "../../base/json/read-json.ts";
import { compareElements, type Element, keyElement, readElement, valueElement } from "./element.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  has,
  intersection,
  isEmpty,
  paths,
  sameSet,
  setOf,
  union,
  withoutBelow,
} from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";

const element = fc.oneof(
  fc.constantFrom("f:a", "f:b", "f:c", "f:é", "i:0", "i:10", "i:2"),
  fc.constantFrom<unknown>(1, 2, 10, "x", "<&>", true, false).map(valueElement),
  fc
    .record({ name: fc.constantFrom("a", "b"), port: fc.constantFrom<unknown>(80, 443, "web") })
    .map(keyElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const fieldSet = fc.array(path, { maxLength: 8 }).map((members) => setOf(...members));

/** The set as plain texts, a model to check the trie against. */
function model(set: FieldSet): Set<string> {
  return new Set([...paths(set)].map((each) => JSON.stringify(each)));
}

test("the algebra of field sets is that of sets of paths", () => {
  fc.assert(
    fc.property(fieldSet, fieldSet, (left, right) => {
      const [a, b] = [model(left), model(right)];
      assert.deepEqual(model(union(left, right)), a.union(b));
      assert.deepEqual(model(intersection(left, right)), a.intersection(b));
      assert.deepEqual(model(difference(left, right)), a.difference(b));
      assert.equal(sameSet(left, right), a.symmetricDifference(b).size === 0);
      assert.equal(isEmpty(left), a.size === 0);
      assert.ok(sameSet(union(left, right), union(right, left)));
      assert.ok(sameSet(union(difference(left, right), intersection(left, right)), left));
    }),
  );
});

test("no operation leaves empty branches behind", () => {
  const branches = (set: FieldSet): boolean =>
    [...set.children.values()].every((child) => !isEmpty(child) && branches(child));
  fc.assert(
    fc.property(fieldSet, fieldSet, (left, right) => {
      for (const work of [union, intersection, difference, withoutBelow]) {
        assert.ok(branches(work(left, right)));
      }
    }),
  );
});

test("membership is by the whole path; withoutBelow takes what hangs below", () => {
  fc.assert(
    fc.property(fieldSet, fieldSet, path, (left, right, at) => {
      assert.equal(has(left, at), model(left).has(JSON.stringify(at)));
      for (const kept of paths(withoutBelow(left, right))) {
        const above = kept.map((_, index) => kept.slice(0, index + 1));
        assert.ok(above.every((prefix) => !has(right, prefix)));
      }
    }),
  );
});

test("fieldsV1 holds every set, and the order of elements is fixed", () => {
  fc.assert(
    fc.property(fieldSet, (set) => {
      const encoded = encodeFields(set);
      const again = decodeFields(readJson(JSON.stringify(encoded)));
      assert.ok(sameSet(again, set));
      assert.equal(JSON.stringify(encodeFields(again)), JSON.stringify(encoded));
    }),
  );
  assert.ok(sameSet(decodeFields({}), emptySet));
});

test("elements are written as Kubernetes writes them: fields, keys, values, indexes", () => {
  const elements: Element[] = [
    "f:Z",
    "f:a",
    "f:b",
    keyElement({ name: "a" }),
    keyElement({ port: 80, protocol: "TCP" }),
    keyElement({ protocol: "UDP", port: 80 }),
    keyElement({ port: 443, protocol: "TCP" }),
    valueElement(2),
    valueElement(10),
    valueElement("<b>"),
    valueElement("a"),
    valueElement(false),
    valueElement(true),
    "i:2",
    "i:10",
  ];
  assert.deepEqual(elements.toReversed().toSorted(compareElements), elements);
  assert.deepEqual(elements.map(readElement), elements);
  assert.equal(elements[5], 'k:{"port":80,"protocol":"UDP"}');
  assert.equal(elements[9], 'v:"\\u003cb\\u003e"');
});

test("fieldsV1 from elsewhere: spellings are mended, unknown kinds dropped, nonsense refused", () => {
  const set = decodeFields({ 'k:{ "b": 1, "a": 2 }': {}, "x:later": {}, "f:a": { ".": {} } });
  assert.deepEqual(encodeFields(set), { "f:a": {}, 'k:{"a":2,"b":1}': {} });
  for (const nonsense of [
    { spec: {} },
    { "f:a": 1 },
    { "k:[]": {} },
    { "i:x": {} },
    { "v:": {} },
  ]) {
    assert.throws(() => decodeFields(nonsense), SyntaxError);
  }
});

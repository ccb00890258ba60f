import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isSelectorError } from "./error.ts";
import { compileLabelSelector, parseLabelSelector } from "./label-selector.ts";

const word = fc.constantFrom("a", "b", "c");
const labels = fc.dictionary(word, word, { noNullPrototype: true });
const expression = fc
  .record({
    key: word,
    operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
    some: fc.uniqueArray(word, { minLength: 1 }),
  })
  .map(({ key, operator, some }) => ({
    key,
    operator,
    ...(operator.endsWith("In") ? { values: some } : {}),
  }));
const selectors = fc.record({ matchLabels: labels, matchExpressions: fc.array(expression) });

test("[API-1] a selector's text selects what the selector selects", () => {
  fc.assert(
    fc.property(selectors, labels, (selector, own) => {
      const filter = compileLabelSelector(selector);
      const again = parseLabelSelector(filter.text);
      assert.equal(again.text, filter.text);
      assert.equal(again.matchesLabels(own), filter.matchesLabels(own));
      assert.equal(filter.matches({ metadata: { labels: own } }), filter.matchesLabels(own));
    }),
  );
});

test("[API-1] in and notin, a key and its absence, divide all labels", () => {
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { minLength: 1 }), labels, (key, values, own) => {
      const matches = (text: string): boolean => parseLabelSelector(text).matchesLabels(own);
      const list = values.join(",");
      assert.notEqual(matches(`${key} in (${list})`), matches(`${key} notin (${list})`));
      assert.notEqual(matches(key), matches(`!${key}`));
      assert.equal(matches(`${key}=${values[0]}`), matches(`${key} in (${values[0]})`));
    }),
  );
});

test("the empty selector selects everything, an absent one nothing", () => {
  assert.ok(parseLabelSelector("").matches({}));
  assert.ok(compileLabelSelector({}).matches({}));
  assert.ok(!compileLabelSelector(undefined).matches({}));
});

test("inherited names are no labels", () => {
  assert.ok(!parseLabelSelector("constructor").matches({ metadata: { labels: {} } }));
  assert.ok(parseLabelSelector("constructor=x").matchesLabels({ constructor: "x" }));
});

test("[API-4] selectors of objects are refused as their texts are", () => {
  for (const bad of [
    { matchLabels: { "-": "x" } },
    { matchLabels: { a: "not ok" } },
    { matchExpressions: [{ key: "a", operator: "In" }] },
    { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
    { matchExpressions: [{ key: "a", operator: "Maybe" }] },
  ]) {
    assert.throws(() => compileLabelSelector(bad), isSelectorError);
  }
});

test("[API-4] any text is either understood or refused with a SelectorError", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "=", "!", "(", ")", ",", "<", ">", " ", "in") }),
      (text) => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          assert.ok(isSelectorError(error), String(error));
        }
      },
    ),
  );
});

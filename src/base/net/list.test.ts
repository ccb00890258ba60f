import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { families, otherFamily } from "./family.ts";
import { firstOfEachFamily, parseAddressList, parsePrefixList } from "./list.ts";
import { anyPrefix } from "./testing/arbitraries.ts";

test("[NET-2] a list of prefixes keeps its order and becomes canonical", () => {
  const texts = parsePrefixList("FD00:10:20::/72,10.20.0.0/16").map(String);
  assert.deepEqual(texts, ["fd00:10:20::/72", "10.20.0.0/16"]);
});

test("[NET-2] a list of addresses may have blanks around its commas", () => {
  const texts = parseAddressList("10.0.0.1, FD00::0001").map(String);
  assert.deepEqual(texts, ["10.0.0.1", "fd00::1"]);
});

const refused: [text: string, state: string][] = [
  ["10.0.0.0/8,fd00::/129", 'element 2, "fd00::/129": its length is not a number from 0 to 128'],
  ["10.0.0.0/8,", 'element 2, "": it has no "/"'],
  ["", 'element 1, "": it has no "/"'],
  [
    "10.0.0.0/8;fd00::/64",
    'element 1, "10.0.0.0/8;fd00::/64": its length is not a number from 0 to 32',
  ],
];
for (const [text, state] of refused) {
  test(`[NET-2] the bad element of ${JSON.stringify(text)} is named`, () => {
    const message = `Cannot parse list ${JSON.stringify(text)}: ${state}`;
    assert.throws(() => parsePrefixList(text), { name: "InvalidAddressError", message });
  });
}

test("[NET-2] the bad address of a list is named", () => {
  assert.throws(() => parseAddressList("10.0.0.1,10.0.0.300,::1"), {
    message:
      'Cannot parse list "10.0.0.1,10.0.0.300,::1": element 2, "10.0.0.300": an octet is above 255',
  });
});

test("[NET-3] the first of each family is used, the others are ignored", () => {
  const list = parsePrefixList("fd00:1::/64,fd00:2::/64,10.1.0.0/16,10.2.0.0/16");
  const { used, ignored } = firstOfEachFamily(list);
  assert.deepEqual(used.map(String), ["fd00:1::/64", "10.1.0.0/16"]);
  assert.deepEqual(ignored.map(String), ["fd00:2::/64", "10.2.0.0/16"]);
});

test("[NET-3] used and ignored together are the list, with one of each family used", () => {
  fc.assert(
    fc.property(fc.array(anyPrefix()), (list) => {
      const { used, ignored } = firstOfEachFamily(list);
      assert.deepEqual(new Set([...used, ...ignored]), new Set(list));
      for (const family of families) {
        const first = list.find((prefix) => prefix.family === family);
        assert.equal(
          used.find((prefix) => prefix.family === family),
          first,
        );
        assert.notEqual(otherFamily(family), family);
      }
      assert.equal(used.length, new Set(list.map((prefix) => prefix.family)).size);
    }),
  );
});

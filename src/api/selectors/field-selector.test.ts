import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isSelectorError } from "./error.ts";
import { parseFieldSelector } from "./field-selector.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly node?: string;
  readonly addresses?: readonly string[];
}

const kind = {
  selectableFields: ["spec.nodeName", "status.podIPs"],
  selectableField: (pod: Pod, field: string) =>
    field === "spec.nodeName" ? (pod.node ?? "") : (pod.addresses ?? []),
};

const pod: Pod = {
  metadata: { name: "web", namespace: "shop" },
  node: "n1",
  addresses: ["10.0.0.1", "fd00::1"],
};

test("[API-1] fields are compared as text; of several values one has to match", () => {
  for (const [text, expected] of [
    ["", true],
    ["metadata.name=web", true],
    ["metadata.name==web,metadata.namespace=shop", true],
    ["metadata.name!=web", false],
    ["spec.nodeName=n1,spec.nodeName!=n2", true],
    ["spec.nodeName=", false],
    ["status.podIPs=fd00::1", true],
    ["status.podIPs!=fd00::1", false],
    ["status.podIPs!=fd00::2", true],
  ] as const) {
    assert.equal(parseFieldSelector(text, kind).matches(pod), expected, text);
  }
});

test("an exact value can be looked up", () => {
  const filter = parseFieldSelector("spec.nodeName!=a,metadata.name=x\\,y", kind);
  assert.equal(filter.exact("metadata.name"), "x,y");
  assert.equal(filter.exact("spec.nodeName"), undefined);
});

test("any value can be asked for when it is escaped, and the text is one spelling", () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const escaped = name.replace(/[\\,=]/g, "\\$&");
      const filter = parseFieldSelector(`metadata.name==${escaped}`, kind);
      assert.equal(filter.exact("metadata.name"), name);
      assert.equal(parseFieldSelector(filter.text, kind).text, filter.text);
    }),
  );
  const texts = ["metadata.name=a,spec.nodeName!=b", "spec.nodeName!=b,,metadata.name==a"];
  assert.equal(new Set(texts.map((text) => parseFieldSelector(text, kind).text)).size, 1);
});

test("[API-4] unknown fields and malformed terms are refused", () => {
  for (const [text, message] of [
    ["spec.foo=x", "field label not supported: spec.foo"],
    ["constructor=x", "field label not supported: constructor"],
    ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ["metadata.name=\\x", "invalid field selector: invalid escape sequence: \\x"],
    ["metadata.name=x\\", "invalid field selector: invalid escape sequence: \\"],
    ["metadata.name=a=b", "invalid field selector: unescaped character in value: ="],
  ] as const) {
    assert.throws(
      () => parseFieldSelector(text, kind),
      (error) => isSelectorError(error) && error.message === message,
      text,
    );
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { followJsonPath, parseJsonPath, plainFields } from "./json-path.ts";

const object = {
  metadata: { labels: { "example.com/a": "x" } },
  spec: {
    ports: [
      { name: "http", port: 80 },
      { name: "dns", port: 53 },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Old", status: "False" },
    ],
  },
};

const cases: [path: string, values: unknown[]][] = [
  [".spec.ports[0].name", ["http"]],
  [".spec.ports[-1].port", [53]],
  [".spec.ports[*].port", [80, 53]],
  [".metadata.labels['example.com/a']", ["x"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='None')].status", []],
  [".spec.ports[?(@.port==53)].name", ["dns"]],
  [".nothing.here", []],
  [".spec.constructor", []],
];
for (const [path, values] of cases) {
  test(`${path} leads to ${JSON.stringify(values)}`, () => {
    assert.deepEqual(followJsonPath(parseJsonPath(path) ?? assert.fail(), object), values);
  });
}

for (const path of ["", "spec", ".spec.", ".a[", ".a[?(@.b>1)]", "..a", ".a[?(@.b==)]"]) {
  test(`${JSON.stringify(path)} is no path`, () => {
    assert.equal(parseJsonPath(path), undefined);
  });
}

test("only paths of fields are plain", () => {
  assert.deepEqual(plainFields(parseJsonPath(".spec.replicas")), ["spec", "replicas"]);
  assert.equal(plainFields(parseJsonPath(".spec[0]")), undefined);
});

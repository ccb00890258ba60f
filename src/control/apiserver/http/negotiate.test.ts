import assert from "node:assert/strict";
import { test } from "node:test";
import { negotiate } from "./negotiate.ts";

const table = { media: "json", shape: "table", version: "v1" };
const json = { media: "json", shape: "object", version: "v1" };

const cases: [accept: string | undefined, form: object][] = [
  [undefined, json],
  ["*/*", json],
  ["application/json", json],
  ["application/vnd.kubernetes.protobuf, */*", json],
  ["application/vnd.kubernetes.protobuf,application/json", json],
  ["application/yaml", { ...json, media: "yaml" }],
  [
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
    table,
  ],
  ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", json],
  [
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    { ...table, shape: "metadata" },
  ],
  ["application/json;q=0.1, application/yaml;q=0.9", { ...json, media: "yaml" }],
];
for (const [accept, form] of cases) {
  test(`${accept ?? "nothing"} is answered`, () => {
    assert.deepEqual(negotiate(accept), form);
  });
}

for (const accept of ["text/html", "application/vnd.kubernetes.protobuf", "application/json;q=0"]) {
  test(`${accept} cannot be answered`, () => {
    assert.throws(() => negotiate(accept), { reason: "NotAcceptable" });
  });
}

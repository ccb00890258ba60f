import assert from "node:assert/strict";
import { test } from "node:test";
import { negotiate } from "./negotiate.ts";

const table = { media: "json", shape: "table", version: "v1" };
const json = { media: "json", shape: "object", version: "v1" };

const protobuf = { ...json, media: "protobuf" };

const cases: [accept: string | undefined, form: object][] = [
  [undefined, json],
  ["*/*", json],
  ["application/json", json],
  ["application/vnd.kubernetes.protobuf, */*", protobuf],
  ["application/vnd.kubernetes.protobuf,application/json", protobuf],
  ["application/vnd.kubernetes.protobuf", protobuf],
  ["application/vnd.kubernetes.protobuf;stream=watch", protobuf],
  ["application/json, application/vnd.kubernetes.protobuf", json],
  ["*/*, application/vnd.kubernetes.protobuf", protobuf],
  ["application/*, application/vnd.kubernetes.protobuf;q=0.9", json],
  ["application/vnd.kubernetes.protobuf;q=0.5, application/json;q=0.4", protobuf],
  ["application/json;q=0", json],
  ["application/json;stream=other, application/yaml", { ...json, media: "yaml" }],
  ["application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", json],
  [
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    { ...protobuf, shape: "metadata" },
  ],
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

const refused = [
  "text/html",
  "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Pod;v=v1;g=meta.k8s.io",
];
for (const accept of refused) {
  test(`${accept} cannot be answered`, () => {
    assert.throws(() => negotiate(accept), { reason: "NotAcceptable" });
  });
}

test("a custom resource is answered in JSON, its metadata in protobuf", () => {
  const type = "application/vnd.kubernetes.protobuf";
  const about = { isCustom: true };
  assert.throws(() => negotiate(type, about), { reason: "NotAcceptable" });
  assert.deepEqual(negotiate(`${type}, application/json`, about), json);
  const metadata = `${type};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;
  assert.deepEqual(negotiate(metadata, about), { ...protobuf, shape: "metadata" });
});

test("a review asked for as a Table is refused with 406", () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  assert.throws(() => negotiate(accept, { isPlain: true }), {
    reason: "NotAcceptable",
    message:
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  });
});

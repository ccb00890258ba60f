import assert from "node:assert/strict";
import { test } from "node:test";
import { mentions } from "./mentions.ts";

const field = ["spec", "endpointFamily"];

test("[SVC-1] a merge, strategic or apply patch mentions a field that it gives a value", () => {
  assert.equal(mentions({ spec: { endpointFamily: "ipv4" } }, field), true);
  assert.equal(mentions({ spec: { endpointFamily: null } }, field), false);
  assert.equal(mentions({ spec: { ports: [] } }, field), false);
  assert.equal(mentions({ spec: "endpointFamily" }, field), false);
  assert.equal(mentions(null, field), false);
});

test("[SVC-1] a JSON patch mentions a field that it writes, alone or with what is around it", () => {
  const path = "/spec/endpointFamily";
  const by = (...operations: unknown[]) => mentions(operations, field);
  assert.equal(by({ op: "replace", path, value: "ipv4" }), true);
  assert.equal(by({ op: "copy", path, from: "/metadata/labels/family" }), true);
  assert.equal(by({ op: "add", path: "/spec", value: { endpointFamily: "ipv4" } }), true);
  assert.equal(by({ op: "replace", path: "", value: { spec: { endpointFamily: "ipv4" } } }), true);
  assert.equal(by({ op: "add", path: "/spec", value: {} }), false);
  assert.equal(by({ op: "test", path, value: "ipv4" }, { op: "remove", path }), false);
  assert.equal(by("nonsense", null, { path: 7 }), false);
});

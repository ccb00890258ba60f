import assert from "node:assert/strict";
import test from "node:test";
import type { Schema } from "./model.ts";
import { dropNulls, prune } from "./prune.ts";
import { typeNamed } from "./registry.ts";

const pod = typeNamed("io.k8s.api.core.v1.Pod");
assert.ok(pod);

test("what no schema declares goes, at any depth, and the rest is shared", () => {
  const value = {
    metadata: { name: "web", labels: { anything: "goes" } },
    spec: { containers: [{ name: "a", extra: 1 }, { name: "b" }], hasOwnProperty: 2 },
  };
  const pruned = prune(pod, value);
  assert.deepEqual(pruned, {
    metadata: { name: "web", labels: { anything: "goes" } },
    spec: { containers: [{ name: "a" }, { name: "b" }] },
  });
  assert.equal(pruned.metadata, value.metadata);
  assert.equal(pruned.spec.containers[1], value.spec.containers[1]);
  assert.equal(prune(pod, pruned), pruned);
});

test("a schema may keep what it does not declare", () => {
  const schema: Schema = {
    type: "object",
    preserveUnknown: true,
    fields: new Map([["known", { schema: { type: "object", fields: new Map() } }]]),
  };
  assert.deepEqual(prune(schema, { other: { x: 1 }, known: { x: 1 } }), {
    other: { x: 1 },
    known: {},
  });
});

test("fields that are null go; nulls in free values stay", () => {
  const revision = typeNamed("io.k8s.api.apps.v1.ControllerRevision");
  assert.ok(revision);
  assert.deepEqual(
    dropNulls(revision, { metadata: { name: "a", creationTimestamp: null }, data: { x: null } }),
    { metadata: { name: "a" }, data: { x: null } },
  );
});

test("[API-4] a key that names the prototype stays an ordinary key", () => {
  const value: unknown = JSON.parse(
    '{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"y":1}}',
  );
  const pruned = prune(pod, value) as { y?: number; metadata: { labels: object } };
  assert.equal(pruned.y, undefined);
  assert.deepEqual(Object.keys(pruned), ["metadata"]);
  assert.deepEqual(Object.keys(pruned.metadata.labels), ["__proto__"]);
});

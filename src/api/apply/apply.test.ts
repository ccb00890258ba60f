import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json/value.ts";
import { schemaOf } from "../schema/registry.ts";
import { ApplyError, applyConfiguration } from "./apply.ts";
import { isApplyConflict } from "./conflict.ts";
import { apiVersion, attempt, blank, by, config, exampleSchema, owned } from "./testing/apply.ts";
import { trackUpdate } from "./update.ts";

test("a field two managers apply stays until both let go of it", () => {
  const both = config({ replicas: 2 });
  let live = applyConfiguration(blank, both, by("a"));
  live = applyConfiguration(live, both, by("b"));
  live = applyConfiguration(live, config({}), by("a"));
  assert.deepEqual(live["spec"], { replicas: 2 });
  live = applyConfiguration(live, config({}), by("b"));
  assert.deepEqual(live["spec"], {});
});

test("conflicts tell the manager, the field and how many there are", () => {
  let live: JsonObject = trackUpdate(
    undefined,
    config({ replicas: 1, ports: [{ port: 80, name: "a" }] }),
    by("kubectl-client-side-apply"),
  );
  live = trackUpdate(
    live,
    { ...live, status: { phase: "Up" } },
    by("controller", { subresource: "status" }),
  );
  const one = attempt(() => applyConfiguration(live, config({ replicas: 2 }), by("me")));
  assert.ok(isApplyConflict(one));
  assert.equal(
    one.message,
    'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using example.com/v1: .spec.replicas',
  );
  assert.deepEqual(one.causes, [
    {
      reason: "FieldManagerConflict",
      message: 'conflict with "kubectl-client-side-apply" using example.com/v1',
      field: ".spec.replicas",
    },
  ]);
  const several = attempt(() =>
    applyConfiguration(
      live,
      { ...config({ replicas: 2, ports: [{ port: 80, name: "b" }] }), status: { phase: "Down" } },
      by("me"),
    ),
  );
  assert.ok(isApplyConflict(several));
  assert.equal(
    several.message,
    [
      'Apply failed with 3 conflicts: conflicts with "controller" with subresource "status" using example.com/v1:',
      "- .status.phase",
      'conflicts with "kubectl-client-side-apply" using example.com/v1:',
      "- .spec.replicas",
      '- .spec.ports[port=80,protocol="TCP"].name',
    ].join("\n"),
  );
});

test("from kubectl apply to kubectl apply --server-side and on", () => {
  const first = config({ replicas: 1, ports: [{ port: 80 }] });
  const note = "kubectl.kubernetes.io/last-applied-configuration";
  const annotated = (value: string): JsonObject => ({ annotations: { [note]: value } });
  let live = trackUpdate(
    undefined,
    config({ replicas: 1, ports: [{ port: 80 }] }, annotated(JSON.stringify(first))),
    by("kubectl-client-side-apply"),
  );
  const second = config({ replicas: 2, ports: [{ port: 80 }] });
  assert.ok(isApplyConflict(attempt(() => applyConfiguration(live, second, by("other")))));
  live = applyConfiguration(live, second, by("kubectl"));
  const metadata = live["metadata"] as { annotations: Record<string, string> };
  assert.deepEqual(JSON.parse(metadata.annotations[note] ?? ""), second);
  live = applyConfiguration(
    live,
    { apiVersion, kind: "Example", metadata: { name: "x", ...annotated("{}") } },
    by("kubectl-last-applied", { force: true }),
  );
  assert.deepEqual(Object.keys(owned(live)).toSorted(), [
    "Apply kubectl",
    "Apply kubectl-last-applied",
    "Update kubectl-client-side-apply",
  ]);
  const drifted = trackUpdate(live, { ...live, spec: { replicas: 9, ports: [] } }, by("scaler"));
  const error = attempt(() => applyConfiguration(drifted, second, by("kubectl")));
  assert.ok(isApplyConflict(error));
  assert.deepEqual(
    error.causes.map(({ field }) => field),
    [".spec.replicas"],
  );
});

test("an object from before the first apply belongs to its past", () => {
  const live = { ...config({ replicas: 1 }), metadata: { name: "x", uid: "u" } };
  const applied = applyConfiguration(live, config({ args: ["a"] }), by("a"));
  assert.deepEqual(owned(applied), {
    "Apply a": { "f:spec": { "f:args": {} } },
    "Update before-first-apply": { "f:spec": { ".": {}, "f:replicas": {} } },
  });
});

test("another API version: fields keep their owners across conversion", () => {
  const old = "example.com/v1alpha1";
  const convert = (
    object: JsonObject,
    to: string,
  ): { schema: typeof exampleSchema; object: JsonObject } | undefined =>
    to === apiVersion || to === old
      ? { schema: exampleSchema, object: { ...object, apiVersion: to } }
      : undefined;
  const before = { ...config({ replicas: 1, args: ["a"] }), apiVersion: old };
  const live = applyConfiguration(
    { ...blank, apiVersion: old },
    before,
    by("a", { apiVersion: old, convert }),
  );
  const current = { ...live, apiVersion };
  assert.ok(
    isApplyConflict(
      attempt(() => applyConfiguration(current, config({ replicas: 2 }), by("b", { convert }))),
    ),
  );
  const after = applyConfiguration(current, config({ args: ["a"] }), by("a", { convert }));
  assert.deepEqual(after["spec"], { args: ["a"] });
  assert.deepEqual(Object.keys(owned(after)), ["Apply a"]);
  const alone = applyConfiguration(current, config({ replicas: 2 }), by("b"));
  assert.deepEqual(Object.keys(owned(alone)), ["Apply b"]);
});

test("[API-1] a custom resource definition can be applied, its schema's unions included", () => {
  const schema = schemaOf({
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
  });
  assert.ok(schema);
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "examples.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Example", plural: "examples", shortNames: ["ex"] },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                free: { type: "object", additionalProperties: true },
                typed: { type: "object", additionalProperties: { type: "string" } },
                list: { type: "array", items: { type: "string", default: "x" } },
              },
            },
          },
        },
      ],
    },
  };
  const options = by("kubectl", { schema, apiVersion: definition.apiVersion });
  const { apiVersion: version, kind, metadata } = definition;
  const applied = applyConfiguration({ apiVersion: version, kind, metadata }, definition, options);
  assert.deepEqual(applied["spec"], definition.spec);
  assert.deepEqual(owned(applied)["Apply kubectl"], {
    "f:spec": {
      "f:group": {},
      "f:names": { "f:kind": {}, "f:plural": {}, "f:shortNames": {} },
      "f:scope": {},
      "f:versions": {},
    },
  });
});

test("[API-4] a configuration that fits nowhere is a bad request", () => {
  const refusals: [JsonObject, RegExp][] = [
    [{ ...blank, apiVersion: "v2" }, /^Incorrect version specified in apply patch/],
    [config({}, { managedFields: [] }), /^metadata.managedFields must be nil$/],
    [config({ foo: 1 }), /\.spec\.foo: field not declared in schema$/],
    [config({ replicas: "1" }), /\.spec\.replicas: expected int32, got "1"$/],
    [config({ ports: { port: 80 } }), /\.spec\.ports: expected list/],
    [
      config({ ports: [{ name: "a", protocol: null }, 1] }),
      /element 1: a list with keys may hold only objects/,
    ],
    [
      config({ ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] }),
      /duplicate entries for key \[port=80,protocol="TCP"\]/,
    ],
    [config({ finalizers: [{}] }), /a set may hold only plain values/],
    [config({ selector: [] }), /\.spec\.selector: expected map/],
  ];
  for (const [bad, message] of refusals) {
    const error = attempt(() => applyConfiguration(blank, bad, by("a")));
    assert.ok(error instanceof ApplyError, String(error));
    assert.match(error.message, message);
  }
});

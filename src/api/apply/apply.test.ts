import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isObject, type JsonObject } from "../json/value.ts";
import { schemaOf } from "../schema/registry.ts";
import { ApplyError, type ApplyOptions, applyConfiguration } from "./apply.ts";
import { compare } from "./compare.ts";
import { isApplyConflict } from "./conflict.ts";
import { fieldsOf } from "./extract.ts";
import { difference, intersection, isEmpty, setOf } from "./field-set.ts";
import { decodeFields } from "./fields-v1.ts";
import { configs, exampleSchema } from "./test-schema.ts";
import { trackUpdate } from "./update.ts";

const apiVersion = "example.com/v1";
const blank = { apiVersion, kind: "Example", metadata: { name: "x" } };

function by(manager: string, more: Partial<ApplyOptions> = {}): ApplyOptions {
  return { schema: exampleSchema, apiVersion, manager, now: "2026-01-01T00:00:00Z", ...more };
}

function config(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind: "Example", metadata: { name: "x", ...metadata }, spec };
}

/** The fields of each manager: `{ "Apply a": {…} }`. */
function owned(object: JsonObject): Record<string, unknown> {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const entries = (metadata["managedFields"] ?? []) as JsonObject[];
  return Object.fromEntries(
    entries.map((entry) => [
      `${String(entry["operation"])} ${String(entry["manager"])}`,
      entry["fieldsV1"],
    ]),
  );
}

const later = { now: "2026-01-01T00:01:00Z" };

test("[API-1] applying the same again changes nothing, times included", () => {
  fc.assert(
    fc.property(configs, configs, (first, second) => {
      const live = applyConfiguration(
        applyConfiguration(blank, first, by("a")),
        second,
        by("b", { force: true }),
      );
      assert.equal(applyConfiguration(live, second, by("b", later)), live);
    }),
  );
});

test("[API-1] what is applied is there, and is the applier's", () => {
  fc.assert(
    fc.property(configs, configs, configs, (first, second, third) => {
      const updated = trackUpdate(undefined, first, by("u"));
      const applied = applyConfiguration(updated, second, by("a", { force: true }));
      const live = applyConfiguration(applied, third, by("a", { ...later, force: true }));
      const { removed, modified } = compare(exampleSchema, third, live);
      assert.ok(isEmpty(removed) && isEmpty(modified));
      const claimed = difference(
        fieldsOf(exampleSchema, third),
        setOf(["f:apiVersion"], ["f:kind"], ["f:metadata", "f:name"]),
      );
      const own = decodeFields(owned(live)["Apply a"] ?? {});
      assert.ok(isEmpty(difference(claimed, own)) && isEmpty(difference(own, claimed)));
    }),
  );
});

test("[API-1] managers with different fields never conflict", () => {
  fc.assert(
    fc.property(configs, configs, (first, second) => {
      const mine: JsonObject = { ...first, spec: {} };
      const theirs: JsonObject = { ...second, metadata: { name: "x" } };
      const live = applyConfiguration(applyConfiguration(blank, mine, by("a")), theirs, by("b"));
      assert.deepEqual(live["spec"], theirs["spec"]);
    }),
  );
});

test("[API-1] a conflict is refused, or forced: then the fields change hands", () => {
  fc.assert(
    fc.property(configs, configs, (first, second) => {
      const live = applyConfiguration(blank, first, by("a"));
      const result = attempt(() => applyConfiguration(live, second, by("b")));
      const forced = applyConfiguration(live, second, by("b", { force: true }));
      if (!isApplyConflict(result)) {
        assert.deepEqual(result, forced);
        return;
      }
      const left = decodeFields(owned(forced)["Apply a"] ?? {});
      const taken = setOf(...result.conflicts.map(({ path }) => path));
      assert.ok(isEmpty(intersection(left, taken)));
      assert.ok(!isEmpty(intersection(decodeFields(owned(live)["Apply a"]), taken)));
    }),
  );
});

test("[API-1] who stops applying all of it leaves nothing of his own behind", () => {
  fc.assert(
    fc.property(configs, (first) => {
      const live = applyConfiguration(blank, first, by("a"));
      const left = applyConfiguration(live, config({}), by("a", later));
      assert.deepEqual(left["spec"], {});
    }),
  );
});

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

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { JsonObject } from "../../base/json/value.ts";
import { schemaOf } from "../schema/registry.ts";
import { ApplyError, applyConfiguration } from "./apply.ts";
import { compare } from "./compare.ts";
import { isApplyConflict } from "./conflict.ts";
import { fieldsOf } from "./extract.ts";
import { difference, intersection, isEmpty, setOf } from "./field-set.ts";
import { decodeFields } from "./fields-v1.ts";
import { attempt, blank, by, config, configs, exampleSchema, owned } from "./testing/apply.ts";
import { trackUpdate } from "./update.ts";

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

const names = fc.constantFrom(
  "metadata",
  "labels",
  "annotations",
  "kubectl.kubernetes.io/last-applied-configuration",
  "managedFields",
  "fieldsV1",
  "operation",
  "apiVersion",
  "ownerReferences",
  "uid",
  "spec",
  "template",
  "containers",
  "name",
  "ports",
  "containerPort",
  "constructor",
  "toString",
);
const { nonsense } = fc.letrec((tie) => ({
  nonsense: fc.oneof(
    { maxDepth: 6, depthSize: "large" },
    fc.constantFrom(null, 0, "", "x", true, "{}", "Apply", "apps/v1"),
    fc.array(tie("nonsense"), { maxLength: 3 }),
    fc.dictionary(names, tie("nonsense"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const objects = fc.dictionary(names, nonsense, { maxKeys: 6, noNullPrototype: true });

test("[API-4] objects of any shape are tracked or refused, and nothing worse", () => {
  const schema = schemaOf({ group: "apps", version: "v1", kind: "Deployment" });
  assert.ok(schema);
  const options = by("kubectl", { schema, apiVersion: "apps/v1" });
  const typed = (object: JsonObject): JsonObject => ({
    ...object,
    apiVersion: "apps/v1",
    kind: "Deployment",
  });
  fc.assert(
    fc.property(objects, objects, (live, next) => {
      trackUpdate(undefined, next, options);
      trackUpdate(live, next, options);
      const error = attempt(() => applyConfiguration(typed(live), typed(next), options));
      if (error instanceof Error) assert.ok(error instanceof ApplyError || isApplyConflict(error));
    }),
    { numRuns: 1000 },
  );
});

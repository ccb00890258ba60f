import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { schemaOf } from "../schema/registry.ts";
import { isPatchError } from "./error.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMergePatch } from "./strategic.ts";

const fieldNames = fc.constantFrom(
  "metadata",
  "spec",
  "containers",
  "env",
  "name",
  "labels",
  "finalizers",
  "strategy",
  "tolerations",
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
  "constructor",
  "toString",
);
const { nonsense } = fc.letrec((tie) => ({
  nonsense: fc.oneof(
    { maxDepth: 5, depthSize: "large" },
    fc.constantFrom(null, 0, "", "a", "replace", "delete"),
    fc.array(tie("nonsense"), { maxLength: 3 }),
    fc.dictionary(fieldNames, tie("nonsense"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

test("[API-4] patches of any shape are applied or refused, and nothing worse", () => {
  const anyObject = fc.dictionary(fieldNames, nonsense, { noNullPrototype: true });
  const schema = schemaOf({ group: "apps", version: "v1", kind: "Deployment" });
  assert.ok(schema);
  fc.assert(
    fc.property(anyObject, anyObject, (object, patch) => {
      try {
        applyStrategicMergePatch(schema, object, patch);
        applyStrategicMergePatch(
          schema,
          { spec: { template: object } },
          { spec: { template: patch } },
        );
        applyMergePatch(object, patch);
        applyJsonPatch(object, patch);
      } catch (error) {
        assert.ok(isPatchError(error), String(error));
      }
    }),
    { numRuns: 1000 },
  );
});

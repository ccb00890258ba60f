// Compares patches with what Kubernetes' own libraries answered: json-patch 4.13 and the strategic patches of
// k8s.io/apimachinery 0.36.4, among them patches as kubectl makes them for edit and apply.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject, type JsonObject } from "../../base/json/value.ts";
import { readRecorded } from "../apply/testing/recorded.ts";
import { schemaOf } from "../schema/registry.ts";
import { isPatchError } from "./error.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMergePatch } from "./strategic.ts";

interface Case {
  readonly op: "json" | "merge" | "strategic" | "twoway" | "threeway";
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly original: JsonObject;
  readonly patch: unknown;
  readonly result?: JsonObject;
  readonly error?: true;
}

for (const name of ["plain", "strategic"]) {
  test(`[API-1] patches give what Kubernetes gives: ${name}`, () => {
    const cases = readRecorded<Case>(new URL(`vectors/${name}.jsonl.gz`, import.meta.url));
    assert.ok(cases.length >= 500);
    for (const [index, each] of cases.entries()) {
      const label = `case ${index}: ${each.op} ${JSON.stringify(each.patch)}`;
      const before = JSON.stringify([each.original, each.patch]);
      if (each.error === true) {
        assert.throws(() => perform(each), isPatchError, label);
      } else {
        assert.deepEqual(tidy(perform(each), each), tidy(each.result, each), label);
      }
      assert.equal(JSON.stringify([each.original, each.patch]), before, `${label} was changed`);
    }
  });
}

function perform({ op, apiVersion = "", kind = "", original, patch }: Case): unknown {
  if (op === "json") return applyJsonPatch(original, patch);
  if (op === "merge") return applyMergePatch(original, patch);
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const schema = schemaOf({ group, version, kind });
  assert.ok(schema, `${apiVersion} ${kind}`);
  return applyStrategicMergePatch(schema, original, patch);
}

/** Removes nulls and directives, which Kubernetes leaves in what a strategic patch adds, and drops later. */
function tidy(value: unknown, { op }: Case): unknown {
  if (op === "json" || op === "merge") return value;
  const visit = (inner: unknown): unknown => {
    if (Array.isArray(inner)) {
      return inner.filter((each) => !isObject(each) || !Object.hasOwn(each, "$patch")).map(visit);
    }
    if (!isObject(inner)) return inner;
    const fields = Object.entries(inner);
    return Object.fromEntries(
      fields
        .filter(([field, each]) => each !== null && !field.startsWith("$"))
        .map(([field, each]) => [field, visit(each)]),
    );
  };
  return visit(value);
}

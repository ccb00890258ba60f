// Compares server-side apply with what k8s.io/apimachinery 0.36.4 with structured-merge-diff 6.3.3 answered
// to the same writes, once with Go structs (built-in kinds) and once with plain maps (custom resources). Each
// case is a series of writes; each write starts from what Kubernetes had before it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { defined } from "../../base/json/defined.ts";
import { getOwn, isObject, type JsonObject, sameJson } from "../../base/json/value.ts";
import type { Field, Schema } from "../schema/model.ts";
import { schemaOf } from "../schema/registry.ts";
import { applyConfiguration } from "./apply.ts";
import { type ConflictCause, isApplyConflict } from "./conflict.ts";
import { setOf } from "./field-set.ts";
import { readRecorded } from "./testing/recorded.ts";
import { trackUpdate } from "./update.ts";

interface Case {
  readonly apiVersion: string;
  readonly kind: string;
  readonly steps: readonly Step[];
}

interface Step {
  readonly op: "create" | "update" | "forget" | "apply";
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  /** The applied configuration, or the object that an update wrote. */
  readonly config?: JsonObject;
  readonly next?: JsonObject;
  readonly object?: JsonObject;
  readonly error?: string;
  readonly causes?: readonly ConflictCause[];
}

for (const [name, isStruct] of [
  ["structs", true],
  ["unstructured", false],
] as const) {
  test(`[API-1] writes are tracked and applied as Kubernetes does: ${name}`, () => {
    const cases = readRecorded<Case>(new URL(`vectors/${name}.jsonl.gz`, import.meta.url));
    assert.ok(cases.length >= 200);
    for (const [index, each] of cases.entries()) {
      const schema = isStruct ? schemaFor(each) : withoutNumbers(schemaFor(each));
      let live: JsonObject | undefined;
      for (const [number, step] of each.steps.entries()) {
        const label = `case ${index}, step ${number}, ${step.op} by ${step.manager}`;
        checkStep({ each, step, number, schema, live, isStruct, label });
        if (step.object !== undefined) live = isStruct ? tidy(step.object) : step.object;
      }
    }
  });
}

interface Check {
  readonly each: Case;
  readonly step: Step;
  readonly number: number;
  readonly schema: Schema;
  readonly live: JsonObject | undefined;
  readonly isStruct: boolean;
  readonly label: string;
}

function checkStep(check: Check): void {
  const { step, live, isStruct, label } = check;
  if (step.error !== undefined) {
    assert.throws(
      () => perform(check),
      (error) => {
        assert.ok(error instanceof Error);
        if (!isApplyConflict(error)) assert.equal(error.message, step.error, label);
        else assert.deepEqual(sorted(error.causes), sorted(step.causes ?? []), label);
        return true;
      },
    );
    return;
  }
  const [object, entries] = split(perform(check), isStruct);
  const [expected, expectedEntries] = split(step.object ?? {}, isStruct);
  assert.deepEqual(object, isStruct ? expected : withEmptied(expected, object), label);
  const isQuiet = live !== undefined && sameJson(quiet(split(live, isStruct)[0]), quiet(expected));
  const compared = step.op === "apply" && isQuiet ? withoutApplyTimes : byName;
  assert.deepEqual(compared(entries), compared(expectedEntries), label);
}

function perform({ each, step, number, schema, live, isStruct }: Check): JsonObject {
  const options = {
    apiVersion: each.apiVersion,
    schema,
    manager: step.manager,
    now: `2020-01-01T00:00:${String(number).padStart(2, "0")}Z`,
    ignored:
      step.subresource === "status"
        ? setOf(["f:spec"], ["f:metadata", "f:labels"])
        : setOf(["f:status"]),
    ...defined({ subresource: step.subresource }),
    force: step.force ?? false,
  };
  if (step.config !== undefined) {
    const { apiVersion, kind } = each;
    return applyConfiguration(live ?? { apiVersion, kind }, step.config, options);
  }
  return trackUpdate(live, isStruct ? tidy(step.next ?? {}) : (step.next ?? {}), options);
}

function schemaFor({ apiVersion, kind }: Case): Schema {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const schema = schemaOf({ group, version, kind });
  assert.ok(schema, `${apiVersion} ${kind}`);
  return schema;
}

/** A built-in type as a custom resource would declare it: without protobuf numbers. */
function withoutNumbers(schema: Schema): Schema {
  let fields: Map<string, Field> | undefined;
  return {
    ...schema,
    ...(schema.items === undefined ? {} : { items: withoutNumbers(schema.items) }),
    get fields() {
      fields ??= new Map(
        [...(schema.fields ?? [])].map(([name, { required, schema: inner }]): [string, Field] => [
          name,
          { schema: withoutNumbers(inner), ...defined({ required }) },
        ]),
      );
      return fields;
    },
  };
}

/** Splits an object from its entries; for structs without the zero values that Go always writes. */
function split(object: JsonObject, isStruct: boolean): [JsonObject, readonly JsonObject[]] {
  const metadata = getOwn(object, "metadata");
  const { managedFields = [], uid: _, ...others } = isObject(metadata) ? metadata : {};
  const rest = { ...object, metadata: others };
  return [isStruct ? withoutZeros(rest) : rest, managedFields as JsonObject[]];
}

/** Emptied objects are null in Kubernetes, which drops them later; they are empty objects here. */
function withEmptied(expected: unknown, actual: unknown): unknown {
  if (expected === null && sameJson(actual, {})) return {};
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return expected.map((element, index) => withEmptied(element, actual[index]));
  }
  if (!isObject(expected) || !isObject(actual)) return expected;
  const fields = Object.entries(expected);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, withEmptied(value, actual[name])]),
  );
}

function tidy(object: JsonObject): JsonObject {
  return map(object, (value) => value !== null);
}

function withoutZeros(object: JsonObject): JsonObject {
  return map(object, (value) =>
    isObject(value) || Array.isArray(value) ? Object.keys(value).length > 0 : Boolean(value),
  );
}

function map(object: JsonObject, isKept: (value: unknown) => boolean): JsonObject {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isObject(value) || Object.hasOwn(value, "fieldsV1")) return value;
    const fields = Object.entries(value).map(([name, inner]) => [name, visit(inner)] as const);
    return Object.fromEntries(fields.filter(([, inner]) => isKept(inner)));
  };
  return visit(object) as JsonObject;
}

/**
 * The entries without the times of appliers. Kubernetes leaves such a time as it was, or absent, when the
 * object did not change even though the applier's fields did. We set it, as the API's documentation of the
 * field says.
 */
function withoutApplyTimes(entries: readonly JsonObject[]): JsonObject[] {
  return byName(
    entries.map((entry) => {
      const { time: _, ...others } = entry;
      return entry["operation"] === "Apply" ? others : entry;
    }),
  );
}

function byName(entries: readonly JsonObject[]): JsonObject[] {
  const name = ({ operation, manager, subresource }: JsonObject): string =>
    [operation, manager, subresource].join(" ");
  return entries.toSorted((left, right) => (name(left) < name(right) ? -1 : 1));
}

/** The object without the annotation that the server writes along with an apply of `kubectl`. */
function quiet(object: JsonObject): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  const { ["kubectl.kubernetes.io/last-applied-configuration"]: _, ...annotations } = {
    ...(metadata["annotations"] as JsonObject | undefined),
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

function sorted(causes: readonly ConflictCause[]): ConflictCause[] {
  const key = (cause: ConflictCause): string => `${cause.message} ${cause.field}`;
  return causes.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { anyText } from "../../../test/fixtures/any-text.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { Field, Schema, SchemaType } from "../schema/model.ts";
import { schemaOf } from "../schema/registry.ts";
import { resources } from "../schema/resources.ts";
import { decodeProtobuf, encodeProtobuf } from "./envelope.ts";

test("[API-1] every object of every kind survives protobuf", () => {
  const kinds = resources.map((resource) => {
    const schema = schemaOf(resource);
    assert.ok(schema);
    const apiVersion = [resource.group, resource.version].filter(Boolean).join("/");
    return arbitraryObject(schema, 5).map((object) => ({
      apiVersion,
      kind: resource.kind,
      ...object,
    }));
  });
  fc.assert(
    fc.property(fc.oneof(...kinds), (object) => {
      const bytes = encodeProtobuf(object);
      const decoded = decodeProtobuf(bytes);
      // partialDeepStrictEqual: required fields that were left out come back as zero values.
      assert.partialDeepStrictEqual(decoded, object);
      assert.deepEqual(encodeProtobuf(decoded), bytes);
    }),
    { numRuns: 1000 },
  );
});

test("what exists in JSON only cannot be written", () => {
  const table = { apiVersion: "meta.k8s.io/v1", kind: "Table", rows: [] };
  assert.throws(() => encodeProtobuf(table), {
    message: "Cannot encode rows: the field exists in JSON only",
  });
  assert.throws(() => encodeProtobuf({ apiVersion: "v1", kind: "Pod", spec: { x: 1 } }), {
    message: "Cannot encode spec.x: no such field",
  });
  assert.throws(() => encodeProtobuf({ apiVersion: "v1", kind: "Nothing" }), {
    message: "Cannot encode v1 Nothing: no such kind",
  });
});

/** Objects without zero values, since the codec leaves these out where absence means the same. */
function arbitraryObject(schema: Schema, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = fillable(schema, depth);
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(5, fields.length) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map(([name, field]) => [name, arbitraryValue(field.schema, depth - 1)]),
        ),
      ),
    );
}

function fillable(schema: Schema, depth: number): [string, Field][] {
  return [...(schema.fields ?? [])].filter(
    ([, field]) => field.number !== undefined && canFill(field.schema, depth - 1),
  );
}

function canFill(schema: Schema, depth: number): boolean {
  if (schema.wire === "union" || schema.type === "object") {
    return depth > 0 && fillable(schema, depth).length > 0;
  }
  return schema.items === undefined || canFill(schema.items, depth);
}

function arbitraryValue(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const some = { minLength: 1, maxLength: 3 };
  if (schema.wire === "union") {
    const members = fillable(schema, depth);
    return fc.oneof(...members.map(([, field]) => arbitraryValue(field.schema, depth - 1)));
  }
  const scalar = scalars[schema.type];
  if (scalar !== undefined) return scalar;
  if (schema.type === "object") return arbitraryObject(schema, depth);
  const items = arbitraryValue(schema.items ?? { type: "any" }, depth);
  if (schema.type === "array") return fc.array(items, some);
  return fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    items,
    {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    },
  );
}

const text = anyText({ minLength: 1 });
const second = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });
const iso = (value: number) => new Date(value * 1000).toISOString();

const scalars: Partial<Record<SchemaType, fc.Arbitrary<unknown>>> = {
  string: text,
  boolean: fc.constant(true),
  int32: fc.integer().filter((value) => value !== 0),
  int64: fc.maxSafeInteger().filter((value) => value !== 0),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0),
  bytes: fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  time: second.map((value) => iso(value).replace(".000Z", "Z")),
  microTime: fc
    .tuple(second, fc.integer({ min: 0, max: 999_999 }))
    .map(([value, micros]) => iso(value).replace(".000Z", `.${String(micros).padStart(6, "0")}Z`)),
  intOrString: fc.oneof(
    text,
    fc.integer().filter((value) => value !== 0),
  ),
  quantity: fc.constantFrom("100m", "1Gi", "2", "1e3"),
  any: fc
    .jsonValue()
    // A round trip through JSON turns -0 into 0.
    .map((value) => readJson(JSON.stringify(value)) as typeof value)
    .filter((value) => value !== null && !JSON.stringify(value).includes("__proto__")),
};

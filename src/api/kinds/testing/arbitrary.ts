// Arbitrary objects that fit a schema and may lack any field, as requests do when rules first see them.
import fc from "fast-check";
import type { Schema } from "../../schema/model.ts";

const texts = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "web",
    "10.0.0.1",
    "fd00::1",
    "IPv4",
    "TCP",
    "Always",
    "Exists",
    "a/b",
    "50%",
    "constructor",
  ),
  fc.string({ maxLength: 8 }),
);
const integers = fc.oneof(fc.constantFrom(0, 1, -1, 80, 65_536), fc.integer());

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: texts,
  boolean: fc.boolean(),
  int32: integers,
  int64: integers,
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: fc.constantFrom("", "AAEC", "e30="),
  time: fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-01T00:00:00+02:00"),
  microTime: fc.constant("2024-01-01T00:00:00.000000Z"),
  intOrString: fc.oneof(texts, integers),
  quantity: fc.constantFrom(
    "1",
    "500m",
    "1.5Gi",
    "-1",
    "1e3",
    "0.0001",
    "2Ki",
    3,
    "12345678901234567890",
  ),
  any: fc.oneof(texts, integers, fc.constantFrom({}, [], { a: 1 })),
};

export function arbitraryOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { type, fields, items } = schema;
  if (type === "array" || type === "map") {
    const element =
      items === undefined || depth === 0 ? fc.constant({}) : arbitraryOf(items, depth - 1);
    if (depth === 0) return fc.constant(type === "array" ? [] : {});
    return type === "array"
      ? fc.array(element, { maxLength: 2 })
      : fc.dictionary(
          texts.filter((key) => key !== "__proto__"),
          element,
          { maxKeys: 2 },
        );
  }
  if (type !== "object") return scalars[type] ?? fc.constant(null);
  if (depth === 0) return fc.constant({});
  const parts = [...(fields ?? new Map<string, { schema: Schema }>())].map(
    ([name, field]) =>
      [name, fc.option(lazily(field.schema, depth - 1), { nil: undefined, freq: 2 })] as const,
  );
  return fc.record(Object.fromEntries(parts)).map(withoutAbsent);
}

/** Generates a part only when it is drawn, since schemas refer to each other without end. */
function lazily(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  return fc.constant(null).chain(() => arbitraryOf(schema, depth));
}

function withoutAbsent(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

// The types of the tables as OpenAPI schemas.

import { defined } from "../../base/json/defined.ts";
import type { Field, Schema, SchemaType } from "../schema/model.ts";
import { allTypes, type TypeEntry, typeNamed } from "../schema/registry.ts";
import { resources } from "../schema/resources.ts";

export type Json = { [key: string]: unknown };

/** The differences between the versions of OpenAPI. */
export interface Dialect {
  readonly version: 2 | 3;
  readonly definitions: string;
}

export const dialects = {
  v2: { version: 2, definitions: "#/definitions/" },
  v3: { version: 3, definitions: "#/components/schemas/" },
} as const satisfies Record<string, Dialect>;

const machinery = "io.k8s.apimachinery.pkg";
export const metaPrefix = `${machinery}.apis.meta.v1`;

/** The type of a patch: any JSON document, whatever its media type. */
export const patchName = `${metaPrefix}.Patch`;

/** The definition of this name: of an object or of a named scalar. */
export function define(name: string, dialect: Dialect): Json {
  const scalar = namedScalars.get(name);
  if (scalar !== undefined) return scalar(dialect);
  const schema = typeNamed(name);
  if (schema === undefined) throw new Error(`Cannot describe ${name}: no such type`);
  return defineType(schema, dialect);
}

export function reference(name: string, dialect: Dialect): Json {
  return { $ref: dialect.definitions + name };
}

/** The names of all types that a set of types refers to, itself included, sorted. */
export function reach(roots: Iterable<string>): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    if (!namedScalars.has(name)) visitSchema(typeNamed(name));
  };
  const visitSchema = (schema: Schema | undefined): void => {
    for (const { schema: inner } of schema?.fields?.values() ?? []) {
      const name = nameOf(inner);
      if (name !== undefined) visit(name);
      let items = inner.items;
      for (; items?.items !== undefined && nameOf(items) === undefined; items = items.items);
      const itemName = items && nameOf(items);
      if (itemName !== undefined) visit(itemName);
    }
  };
  for (const root of roots) visit(root);
  return [...seen].toSorted();
}

function defineType(schema: Schema, dialect: Dialect): Json {
  const description = schema.description === undefined ? {} : { description: schema.description };
  if (schema.wire === "union") return { ...description, ...anyValue };
  const fields = [...(schema.fields ?? [])];
  const required = fields.filter(([, field]) => field.required === true).map(([name]) => name);
  const gvks = kindsOf(schema);
  return {
    ...description,
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            fields.map(([name, field]) => [name, property(field, dialect)]),
          ),
        }),
    ...(gvks.length === 0 ? {} : { "x-kubernetes-group-version-kind": gvks }),
    ...(schema.atomic === true ? { "x-kubernetes-map-type": "atomic" } : {}),
  };
}

function property({ schema }: Field, dialect: Dialect): Json {
  const said: Json = {};
  if (schema.patch !== undefined) {
    if (schema.patch.mergeKey !== undefined) {
      said["x-kubernetes-patch-merge-key"] = schema.patch.mergeKey;
    }
    said["x-kubernetes-patch-strategy"] = schema.patch.strategies.join(",");
  }
  if (schema.list !== undefined) {
    if (schema.list.type === "map") said["x-kubernetes-list-map-keys"] = schema.list.keys;
    said["x-kubernetes-list-type"] = schema.list.type;
  }
  if (schema.type === "map" && schema.atomic === true) said["x-kubernetes-map-type"] = "atomic";
  if (schema.default !== undefined) said["default"] = schema.default;
  const name = nameOf(schema);
  const ofType = name === undefined ? undefined : typeNamed(name)?.description;
  if (schema.description !== undefined && schema.description !== ofType) {
    said["description"] = schema.description;
  }
  if (name === undefined) return { ...valueWithFacts(schema, dialect), ...said };
  const ref = reference(name, dialect);
  if (Object.keys(said).length === 0) return ref;
  return dialect.version === 2 ? { ...ref, ...said } : { allOf: [ref], ...said };
}

/** A value with its facts; those of a list or a map apply to its elements. */
function valueWithFacts(schema: Schema, dialect: Dialect): Json {
  const plain = value(schema, dialect);
  if (schema.facts === undefined) return plain;
  const { values, least, most } = schema.facts;
  const bounds: Json = defined({ enum: values, minimum: least, maximum: most });
  const inner =
    schema.type === "array" ? "items" : schema.type === "map" ? "additionalProperties" : "";
  return inner === ""
    ? { ...plain, ...bounds }
    : { ...plain, [inner]: { ...(plain[inner] as Json), ...bounds } };
}

function value(schema: Schema, dialect: Dialect): Json {
  const name = nameOf(schema);
  if (name !== undefined) return reference(name, dialect);
  const items = () => value(schema.items ?? { type: "any" }, dialect);
  if (schema.type === "array") return { type: "array", items: items() };
  if (schema.type === "map") return { type: "object", additionalProperties: items() };
  return { ...plainScalars[schema.type] };
}

/** The schema of any value, without a type. An empty schema would be no schema to some readers. */
const anyValue: Json = { "x-kubernetes-preserve-unknown-fields": true };

/** The scalars that are inlined; the others have named definitions. */
const plainScalars: Readonly<Partial<Record<SchemaType, Json>>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

const scalarNames: Readonly<Partial<Record<SchemaType, string>>> = {
  any: `${machinery}.runtime.RawExtension`,
  time: `${metaPrefix}.Time`,
  microTime: `${metaPrefix}.MicroTime`,
  intOrString: `${machinery}.util.intstr.IntOrString`,
  quantity: `${machinery}.api.resource.Quantity`,
};

const namedScalars = new Map<string, (dialect: Dialect) => Json>([
  [`${metaPrefix}.Time`, () => ({ type: "string", format: "date-time" })],
  [`${metaPrefix}.MicroTime`, () => ({ type: "string", format: "date-time" })],
  [patchName, () => ({ type: "object" })],
  [`${machinery}.runtime.RawExtension`, () => anyValue],
  [
    `${machinery}.util.intstr.IntOrString`,
    ({ version }) => ({
      ...(version === 2
        ? { type: "string" }
        : { oneOf: [{ type: "integer" }, { type: "string" }] }),
      format: "int-or-string",
      "x-kubernetes-int-or-string": true,
    }),
  ],
  [
    `${machinery}.api.resource.Quantity`,
    ({ version }) =>
      version === 2 ? { type: "string" } : { oneOf: [{ type: "string" }, { type: "number" }] },
  ],
]);

function nameOf(schema: Schema): string | undefined {
  return schema.name ?? scalarNames[schema.type];
}

/** The kinds that a definition stands for: options exist in every group, everything else in its own. */
function kindsOf({ name }: Schema): Json[] {
  const entry = kinds().get(name ?? "");
  if (entry === undefined) return [];
  const kind = entry.name;
  const { group, version, alias } = entry.table;
  if (alias !== "meta") return [{ group, kind, version }];
  if (kind !== "DeleteOptions" && kind !== "WatchEvent") return [{ group: "", kind, version }];
  const versions = new Set(resources.map((each) => JSON.stringify([each.group, each.version])));
  return [...versions]
    .map((text) => JSON.parse(text) as [string, string])
    .map(([inGroup, inVersion]) => ({ group: inGroup, kind, version: inVersion }));
}

let kindEntries: ReadonlyMap<string, TypeEntry> | undefined;

function kinds(): ReadonlyMap<string, TypeEntry> {
  kindEntries ??= new Map(
    allTypes()
      .filter(({ isKind }) => isKind)
      .map((entry) => [entry.schema.name ?? "", entry]),
  );
  return kindEntries;
}

// Compiles the OpenAPI schemas of custom resources.

import { defined } from "../../base/json/defined.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { FieldError } from "../fields/field-error.ts";
import type { JSONSchemaProps } from "../types/apiextensions.ts";
import { applyDefaults } from "./custom/defaults.ts";
import { isSchema } from "./custom/json-schema.ts";
import { compileRules, type RuleOptions } from "./custom/rules/rules.ts";
import { valueErrors } from "./custom/values.ts";
import type { Field, ListSemantics, Schema } from "./model.ts";
import { typeNamed } from "./registry.ts";

export interface CustomSchema {
  /** The schema for pruning, patches, server-side apply and unknown fields. */
  readonly schema: Schema;
  /** Validates an object's values, and returns the errors. */
  readonly validate: (object: JsonObject) => readonly FieldError[];
  /** Returns the object with the defaults of its schema. */
  readonly applyDefaults: (object: JsonObject) => JsonObject;
  /** Evaluates the rules of the schema, and returns the errors; `old` is the stored object. */
  readonly validateRules: (
    object: JsonObject,
    old: JsonObject | undefined,
    options: RuleOptions,
  ) => readonly FieldError[];
}

/** Compiles a structural schema (one without `structuralErrors`): a definition's `openAPIV3Schema`. */
export function compileCustomSchema(openApi: JSONSchemaProps): CustomSchema {
  const schema = fromOpenApi(openApi);
  const rules = compileRules(openApi);
  return {
    schema: {
      ...schema,
      fields: new Map([...objectFields, ...(schema.fields ?? []), ...objectMeta()]),
    },
    validate: (object) => valueErrors(openApi, object),
    applyDefaults: (object) => applyDefaults(openApi, object) as JsonObject,
    validateRules: (object, old, options) => rules?.(object, old, options) ?? [],
  };
}

const objectFields: readonly [string, Field][] = [
  ["apiVersion", { schema: { type: "string" } }],
  ["kind", { schema: { type: "string" } }],
];

function objectMeta(): [string, Field][] {
  const schema = typeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  return schema === undefined ? [] : [["metadata", { schema }]];
}

function fromOpenApi(openApi: JSONSchemaProps): Schema {
  const shape = shapeOf(openApi);
  return {
    ...shape,
    ...defined({ description: openApi.description, default: openApi.default }),
    ...(openApi["x-kubernetes-map-type"] === "atomic" ? { atomic: true } : {}),
    ...(openApi["x-kubernetes-preserve-unknown-fields"] === true && shape.type === "object"
      ? { preserveUnknown: true }
      : {}),
  };
}

function shapeOf(openApi: JSONSchemaProps): Schema {
  if (openApi["x-kubernetes-int-or-string"] === true) return { type: "intOrString" };
  switch (openApi.type ?? "") {
    case "object":
      return objectShape(openApi);
    case "array":
      return {
        type: "array",
        items: isSchema(openApi.items) ? fromOpenApi(openApi.items) : { type: "any" },
        list: listSemantics(openApi),
      };
    case "integer":
      return { type: openApi.format === "int32" ? "int32" : "int64" };
    case "number":
      return { type: "double" };
    case "string":
      return { type: "string" };
    case "boolean":
      return { type: "boolean" };
    default:
      return { type: "any" };
  }
}

function objectShape(openApi: JSONSchemaProps): Schema {
  const { additionalProperties, properties = {} } = openApi;
  if (additionalProperties !== undefined && additionalProperties !== false) {
    const items: Schema =
      additionalProperties === true ? { type: "any" } : fromOpenApi(additionalProperties);
    return { type: "map", items };
  }
  const required = new Set(openApi.required);
  const fields = Object.entries(properties).map(([name, property]): [string, Field] => [
    name,
    { schema: fromOpenApi(property), ...(required.has(name) ? { required: true } : {}) },
  ]);
  const embedded = openApi["x-kubernetes-embedded-resource"] === true;
  return {
    type: "object",
    fields: new Map(embedded ? [...objectFields, ...fields, ...objectMeta()] : fields),
  };
}

function listSemantics(openApi: JSONSchemaProps): ListSemantics {
  const type = openApi["x-kubernetes-list-type"];
  if (type === "map") return { type, keys: openApi["x-kubernetes-list-map-keys"] ?? [] };
  return { type: type === "set" ? "set" : "atomic" };
}

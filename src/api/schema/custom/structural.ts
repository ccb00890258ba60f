// The rules of structural schemas, which custom resource definitions must follow: the type of every value is
// known, as pruning, defaulting and server-side apply require.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../fields/field-errors.ts";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";
import { isSchema } from "./json-schema.ts";
import { compilePattern } from "./patterns.ts";
import { valueErrors } from "./values.ts";

/** The errors that keep a schema from being structural; `at` is its path in the definition. */
export function structuralErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const root =
    schema.type === "object"
      ? []
      : [invalid(`${at}.type`, schema.type ?? "", "must be object at the root")];
  return [...root, ...nodeErrors(schema, at)];
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const never = [
  "$ref",
  "definitions",
  "dependencies",
  "id",
  "patternProperties",
  "additionalItems",
] as const;

function nodeErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  return [
    ...typeErrors(schema, at),
    ...never
      .filter((name) => schema[name] !== undefined)
      .map((name) => forbidden(`${at}.${name}`, `${name} is not supported`)),
    ...(schema.uniqueItems === true
      ? [forbidden(`${at}.uniqueItems`, "use x-kubernetes-list-type: set instead")]
      : []),
    ...objectErrors(schema, at),
    ...listErrors(schema, at),
    ...valueRuleErrors(schema, at),
    ...childErrors(schema, at),
  ];
}

function typeErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const { type = "" } = schema;
  const free =
    schema["x-kubernetes-int-or-string"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type === "") return free ? [] : [required(`${at}.type`, "must not be empty")];
  if (schema["x-kubernetes-int-or-string"] === true) {
    return [invalid(`${at}.type`, type, "must be empty if x-kubernetes-int-or-string is true")];
  }
  return types.includes(type) ? [] : [notSupported(`${at}.type`, type, types)];
}

function objectErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const { properties, additionalProperties, type } = schema;
  const errors: FieldError[] = [];
  if (additionalProperties === false) {
    errors.push(forbidden(`${at}.additionalProperties`, "cannot be false"));
  } else if (additionalProperties !== undefined && Object.keys(properties ?? {}).length > 0) {
    errors.push(forbidden(`${at}.additionalProperties`, "excludes properties"));
  }
  if (type !== "object" && schema["x-kubernetes-embedded-resource"] === true) {
    errors.push(invalid(`${at}.type`, type ?? "", "must be object for an embedded resource"));
  }
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(`${at}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  return errors;
}

function listErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const { items, type } = schema;
  const errors: FieldError[] = [];
  if (Array.isArray(items)) {
    errors.push(forbidden(`${at}.items`, "must be one schema, not a list"));
  } else if (type === "array" && items === undefined) {
    errors.push(required(`${at}.items`, "must be specified for arrays"));
  }
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const kinds = ["atomic", "set", "map"];
  if (listType !== undefined && !kinds.includes(listType)) {
    errors.push(notSupported(`${at}.x-kubernetes-list-type`, listType, kinds));
  }
  const keysAt = `${at}.x-kubernetes-list-map-keys`;
  if (listType !== "map" && keys.length > 0)
    errors.push(forbidden(keysAt, "needs the list type map"));
  if (listType !== "map" || !isSchema(items)) return errors;
  if (keys.length === 0) errors.push(required(keysAt, "must name the keys of the map"));
  for (const [index, key] of keys.entries()) {
    const property = Object.hasOwn(items.properties ?? {}, key)
      ? items.properties?.[key]
      : undefined;
    const certain = items.required?.includes(key) === true || property?.default !== undefined;
    if (property === undefined || !certain) {
      errors.push(
        invalid(
          `${keysAt}[${index}]`,
          key,
          "must be a required property of the items or have a default",
        ),
      );
    }
  }
  return errors;
}

function valueRuleErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.pattern !== undefined) {
    const compiled = compilePattern(schema.pattern);
    if ("refused" in compiled)
      errors.push(invalid(`${at}.pattern`, schema.pattern, compiled.refused));
  }
  if (schema.default !== undefined) {
    for (const error of valueErrors(schema, schema.default)) {
      const field = [`${at}.default`, error.field].filter(Boolean).join(".");
      errors.push({ ...error, field });
    }
  }
  return errors;
}

function childErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const { items, additionalProperties } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      nodeErrors(property, `${at}.properties[${name}]`),
    ),
    ...(isSchema(items) ? nodeErrors(items, `${at}.items`) : []),
    ...(isSchema(additionalProperties)
      ? nodeErrors(additionalProperties, `${at}.additionalProperties`)
      : []),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((name) =>
      (schema[name] ?? []).flatMap((each, index) =>
        innerErrors(each, { parent: schema, at: `${at}.${name}[${index}]` }),
      ),
    ),
    ...(schema.not === undefined
      ? []
      : innerErrors(schema.not, { parent: schema, at: `${at}.not` })),
  ];
}

/** The errors of alternatives, which may restrict the structure but not define it. */
function innerErrors(
  schema: JSONSchemaProps,
  { parent, at }: { parent: JSONSchemaProps; at: string },
): FieldError[] {
  const saying = ["default", "nullable", "additionalProperties"] as const;
  const errors = saying
    .filter((name) => schema[name] !== undefined)
    .map((name) => forbidden(`${at}.${name}`, "belongs outside of alternatives"));
  if (schema.type !== undefined && parent["x-kubernetes-int-or-string"] !== true) {
    errors.push(forbidden(`${at}.type`, "belongs outside of alternatives"));
  }
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, each]) => [each, `${at}.properties[${name}]`] as const,
    ),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((name) =>
      (schema[name] ?? []).map((each, index) => [each, `${at}.${name}[${index}]`] as const),
    ),
    ...(schema.not === undefined ? [] : [[schema.not, `${at}.not`] as const]),
    ...(isSchema(schema.items) ? [[schema.items, `${at}.items`] as const] : []),
  ];
  return [
    ...errors,
    ...valueRuleErrors(schema, at),
    ...inner.flatMap(([each, place]) => innerErrors(each, { parent: schema, at: place })),
  ];
}

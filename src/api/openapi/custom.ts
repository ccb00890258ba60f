// The definitions of custom resources, from the schemas in their CustomResourceDefinitions.

import { isObject } from "../../base/json/value.ts";
import type { Resource } from "../schema/resource.ts";
import { type Dialect, type Json, metaPrefix, reference } from "./definitions.ts";

export interface CustomResource extends Resource {
  /** The `openAPIV3Schema` of the served version. */
  readonly schema?: Json;
}

/** The name of a definition, `org.example.v1.Thing`: the group reversed, so that names do not collide. */
export function customName({
  group,
  version,
  kind,
}: {
  group: string;
  version: string;
  kind: string;
}): string {
  return [...group.split(".").toReversed(), version, kind].join(".");
}

/** The definitions of a custom resource and of its list, by name. */
export function customDefinitions(resource: CustomResource, dialect: Dialect): [string, Json][] {
  const { group, version, kind } = resource;
  const name = customName(resource);
  const object = {
    ...(isOpen(resource, dialect) ? { type: "object" } : describedObject(resource, dialect)),
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
  };
  const list = {
    type: "object",
    required: ["items"],
    properties: {
      ...typeMeta,
      metadata: reference(`${metaPrefix}.ListMeta`, dialect),
      items: { type: "array", items: reference(name, dialect) },
    },
    "x-kubernetes-group-version-kind": [{ group, kind: `${kind}List`, version }],
  };
  return [
    [name, object],
    [`${name}List`, list],
  ];
}

/** Returns whether anything goes: clients of version 2 would refuse what is not among listed properties. */
function isOpen({ schema }: CustomResource, { version }: Dialect): boolean {
  if (schema === undefined) return true;
  return version === 2 && schema["x-kubernetes-preserve-unknown-fields"] === true;
}

function describedObject({ schema = {} }: CustomResource, dialect: Dialect): Json {
  const simple = dialect.version === 2 ? simplify(schema) : schema;
  const metadata = reference(`${metaPrefix}.ObjectMeta`, dialect);
  const description = "Standard object's metadata: name, labels, annotations, owners and the like.";
  return {
    ...simple,
    properties: {
      ...typeMeta,
      ...(simple["properties"] as Json),
      metadata:
        dialect.version === 2
          ? { ...metadata, description }
          : { allOf: [metadata], default: {}, description },
    },
  };
}

const typeMeta = {
  apiVersion: {
    type: "string",
    description:
      "APIVersion defines the group and version of the API that the object is written in.",
  },
  kind: {
    type: "string",
    description: "Kind is the name of the type of the object, in CamelCase.",
  },
};

/**
 * Simplifies a schema for version 2, which has no alternatives, no null and no integer-or-string, and whose
 * clients refuse fields they do not know: such constraints are left out.
 */
function simplify(schema: Json): Json {
  const { oneOf: _oneOf, anyOf: _anyOf, not: _not, nullable, allOf: _allOf, ...rest } = schema;
  const simple: Json = rest;
  if (nullable === true) {
    delete simple["type"];
    delete simple["properties"];
    delete simple["items"];
  }
  if (schema["x-kubernetes-int-or-string"] === true) delete simple["type"];
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) {
    delete simple["properties"];
    delete simple["items"];
    delete simple["type"];
  }
  const { properties, items, additionalProperties } = simple;
  if (isObject(properties)) {
    simple["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [
        name,
        isObject(each) ? simplify(each) : {},
      ]),
    );
  }
  if (isObject(items)) simple["items"] = simplify(items);
  if (isObject(additionalProperties))
    simple["additionalProperties"] = simplify(additionalProperties);
  return simple;
}

// Helpers to write the custom resource definitions that come with the server.
import { defined } from "../../base/json/defined.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from "../types/apiextensions.ts";

export interface Brief {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  readonly spec: JSONSchemaProps;
  readonly status?: JSONSchemaProps;
  /** Says that the status has no subresource and is written with the rest, as in the project that the kind comes from. */
  readonly hasPlainStatus?: boolean;
  readonly columns?: CustomResourceDefinitionVersion["additionalPrinterColumns"];
}

export function define(brief: Brief): CustomResourceDefinition {
  const { group, kind, plural, scope, columns } = brief;
  const hasStatusPath = brief.status !== undefined && brief.hasPlainStatus !== true;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind,
        plural,
        singular: brief.singular ?? kind.toLowerCase(),
        listKind: `${kind}List`,
        ...defined({ shortNames: brief.shortNames }),
      },
      versions: [
        {
          name: brief.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(brief) },
          ...(hasStatusPath ? { subresources: { status: {} } } : {}),
          ...defined({ additionalPrinterColumns: columns }),
        },
      ],
      conversion: { strategy: "None" },
    },
    status: {
      conditions: [],
      acceptedNames: { plural: "", kind: "" },
      storedVersions: [brief.version],
    },
  };
}

export const text: JSONSchemaProps = { type: "string" };
/** The schema of fields that are kept without being checked. */
export const open: JSONSchemaProps = {
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
};

export function object(
  properties: Record<string, JSONSchemaProps>,
  required: string[] = [],
): JSONSchemaProps {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

export function list(items: JSONSchemaProps, maxItems?: number): JSONSchemaProps {
  return {
    type: "array",
    items,
    "x-kubernetes-list-type": "atomic",
    ...defined({ maxItems }),
  };
}

function schemaOf({ description, spec, status }: Brief): JSONSchemaProps {
  const base = { apiVersion: text, kind: text, metadata: { type: "object" }, spec };
  return { ...object(status === undefined ? base : { ...base, status }), description };
}

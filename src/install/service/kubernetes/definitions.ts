import type { Client } from "../../../api/client/client.ts";
import type { ResourceDefinition } from "../../../api/client/definition.ts";
import { isAlreadyExists } from "../../../api/client/errors.ts";
import type {
  CustomResourceDefinition,
  JSONSchemaProps,
} from "../../../api/types/apiextensions.ts";
import { agentClusterInstalls, clusterDeployments } from "./objects.ts";

/** Creates the custom resource definitions that are missing; existing ones belong to others and stay. */
export async function ensureDefinitions(client: Client, signal: AbortSignal): Promise<void> {
  const resource = client.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  for (const definition of definitions) {
    try {
      await resource.create(definition, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

const text: JSONSchemaProps = { type: "string" };

const definitions: readonly CustomResourceDefinition[] = [
  define(clusterDeployments, { clusterName: text, baseDomain: text }),
  define(agentClusterInstalls, {
    clusterDeploymentRef: object({ name: text }),
    imageSetRef: object({ name: text }),
    ...vips(),
    networking: object({
      machineNetwork: list(object({ cidr: text })),
      clusterNetwork: list(object({ cidr: text, hostPrefix: { type: "integer" } })),
      serviceNetwork: list(text),
      userManagedNetworking: { type: "boolean" },
    }),
  }),
];

function vips(): Record<string, JSONSchemaProps> {
  const deprecated = (plural: string) => ({
    ...text,
    description: `Deprecated: use ${plural}, of which this is the first.`,
  });
  return {
    apiVIP: deprecated("apiVIPs"),
    apiVIPs: { ...list(text), maxItems: 2 },
    ingressVIP: deprecated("ingressVIPs"),
    ingressVIPs: { ...list(text), maxItems: 2 },
  };
}

function define(
  { group, version, kind, plural }: ResourceDefinition,
  spec: Record<string, JSONSchemaProps>,
): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: object({ spec: object(spec), status: object({}) }) },
        },
      ],
    },
  };
}

/** An object schema that preserves further fields of genuine objects. */
function object(properties: Record<string, JSONSchemaProps>): JSONSchemaProps {
  return { type: "object", properties, "x-kubernetes-preserve-unknown-fields": true };
}

function list(items: JSONSchemaProps): JSONSchemaProps {
  return { type: "array", items };
}

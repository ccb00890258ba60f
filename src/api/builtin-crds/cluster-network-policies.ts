import type { JSONSchemaProps } from "../types/apiextensions.ts";
import { define, list, object, text } from "./definition.ts";

const most = 25;
const selector: JSONSchemaProps = {
  ...object({
    matchLabels: { type: "object", additionalProperties: text },
    matchExpressions: list(
      object({ key: text, operator: text, values: list(text) }, ["key", "operator"]),
    ),
  }),
  "x-kubernetes-map-type": "atomic",
};
const pods = object({ namespaceSelector: selector, podSelector: selector }, ["podSelector"]);
const podPeers = { namespaces: selector, pods };
const action: JSONSchemaProps = { type: "string", enum: ["Accept", "Deny", "Pass"] };
const port: JSONSchemaProps = {
  type: "integer",
  format: "int32",
  minimum: 1,
  maximum: 65_535,
};
const ports = {
  ...object({ destinationPort: oneOf({ number: port, range: portRange() }) }),
  minProperties: 1,
};

export const clusterNetworkPolicies = define({
  group: "policy.networking.k8s.io",
  version: "v1alpha2",
  kind: "ClusterNetworkPolicy",
  plural: "clusternetworkpolicies",
  shortNames: ["cnp"],
  scope: "Cluster",
  description: "What connections pods may have, whatever the policies of their namespaces say.",
  spec: object(
    {
      tier: {
        type: "string",
        enum: ["Admin", "Baseline"],
        description: "Whether it is asked before the policies of namespaces, or after them.",
      },
      priority: {
        type: "integer",
        format: "int32",
        minimum: 0,
        maximum: 1000,
        description: "Of one tier, lower numbers are asked first.",
      },
      subject: oneOf(podPeers),
      ingress: { ...list(rule("from", podPeers)), maxItems: most },
      egress: {
        ...list(
          rule("to", {
            ...podPeers,
            nodes: selector,
            networks: some({ type: "string", maxLength: 43 }, "set"),
            domainNames: some(text, "set"),
          }),
        ),
        maxItems: most,
      },
    },
    ["tier", "priority", "subject"],
  ),
  status: object({
    conditions: {
      type: "array",
      items: object(
        {
          type: text,
          status: text,
          reason: text,
          message: text,
          lastTransitionTime: { type: "string", format: "date-time" },
          observedGeneration: { type: "integer", format: "int64" },
        },
        ["type", "status", "reason", "message", "lastTransitionTime"],
      ),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    },
  }),
  columns: [
    { name: "Tier", type: "string", jsonPath: ".spec.tier" },
    { name: "Priority", type: "string", jsonPath: ".spec.priority" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

function rule(side: "from" | "to", peers: Record<string, JSONSchemaProps>): JSONSchemaProps {
  return object(
    {
      name: { type: "string", maxLength: 100 },
      action,
      [side]: some(oneOf(peers)),
      protocols: some(oneOf({ tcp: ports, udp: ports, sctp: ports, destinationNamedPort: text })),
    },
    ["action", side],
  );
}

/** The schema of an object with exactly one of its fields. */
function oneOf(fields: Record<string, JSONSchemaProps>): JSONSchemaProps {
  return { ...object(fields), minProperties: 1, maxProperties: 1 };
}

function some(items: JSONSchemaProps, kind: "atomic" | "set" = "atomic"): JSONSchemaProps {
  return { ...list(items, most), minItems: 1, "x-kubernetes-list-type": kind };
}

function portRange(): JSONSchemaProps {
  return object({ start: port, end: port }, ["start", "end"]);
}

import type { JSONSchemaProps } from "../types/apiextensions.ts";
import { define, list, object, text } from "./definition.ts";

const selector: JSONSchemaProps = object({
  matchLabels: { type: "object", additionalProperties: text },
  matchExpressions: list(
    object({ key: text, operator: text, values: list(text) }, ["key", "operator"]),
  ),
});

export const addressPools = define({
  group: "tandem.internal",
  version: "v1",
  kind: "AddressPool",
  plural: "addresspools",
  scope: "Cluster",
  description: "Addresses for services of type LoadBalancer.",
  spec: object(
    {
      addresses: {
        ...list(text),
        minItems: 1,
        description: "Prefixes and ranges of either family: 192.0.2.0/28, fd00::10-fd00::1f.",
      },
      autoAssign: {
        type: "boolean",
        default: true,
        description: "Whether services get them that do not ask for one of them.",
      },
      serviceSelector: {
        ...selector,
        description: "Which services may have them; all if not set.",
      },
      namespaceSelector: {
        ...selector,
        description: "Services of which namespaces may have them; of all if not set.",
      },
    },
    ["addresses"],
  ),
  status: object({
    families: list(
      object({ family: text, total: text, used: { type: "integer" } }, ["family", "total", "used"]),
    ),
    problems: list(text),
  }),
  columns: [
    { name: "Auto-Assign", type: "boolean", jsonPath: ".spec.autoAssign" },
    { name: "Addresses", type: "string", jsonPath: ".spec.addresses" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

import type { CustomResourceDefinition, JSONSchemaProps } from "../../api/types/apiextensions.ts";
import { platforms } from "../platforms.ts";
import { infrastructures } from "./infrastructure.ts";

/** The kind itself, for clusters that do not have it. */
export const infrastructureDefinition: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${infrastructures.plural}.${infrastructures.group}` },
  spec: {
    group: infrastructures.group,
    scope: "Cluster",
    names: {
      kind: infrastructures.kind,
      listKind: `${infrastructures.kind}List`,
      plural: infrastructures.plural,
      singular: infrastructures.kind.toLowerCase(),
    },
    versions: [
      {
        name: infrastructures.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: object({
            spec: open({ platformSpec: open({ type: text(), ...perPlatform(specSchema()) }) }),
            status: open({
              platform: text("Deprecated: use platformStatus.type."),
              platformStatus: open({ type: text(), ...perPlatform(statusSchema()) }),
            }),
          }),
        },
      },
    ],
  },
};

function specSchema(): JSONSchemaProps {
  const lists = {
    apiServerInternalIPs: vipList("apiServerInternalIPs"),
    ingressIPs: vipList("ingressIPs"),
  };
  return {
    ...open({ ...lists, machineNetworks: list(text()) }),
    "x-kubernetes-validations": Object.keys(lists).map((name) => ({
      rule: `has(self.${name}) || !has(oldSelf.${name})`,
      message: `${name} list is required once set`,
    })),
  };
}

function statusSchema(): JSONSchemaProps {
  return open({
    apiServerInternalIP: text("Deprecated: use apiServerInternalIPs, of which this is the first."),
    apiServerInternalIPs: vipList("apiServerInternalIPs"),
    ingressIP: text("Deprecated: use ingressIPs, of which this is the first."),
    ingressIPs: vipList("ingressIPs"),
    nodeDNSIP: text(),
    machineNetworks: list(text()),
    loadBalancer: object({
      type: { ...text(), enum: ["OpenShiftManagedDefault", "UserManaged"] },
    }),
  });
}

/** At most one address a family. */
function vipList(name: string): JSONSchemaProps {
  const count = (test: string) => `self.filter(ip, ${test}).size() <= 1`;
  return {
    ...list(text()),
    maxItems: 2,
    "x-kubernetes-validations": [
      {
        rule: `${count("ip.contains(':')")} && ${count("!ip.contains(':')")}`,
        message: `${name} must contain at most one IPv4 address and at most one IPv6 address`,
      },
    ],
  };
}

function perPlatform(schema: JSONSchemaProps): Record<string, JSONSchemaProps> {
  return Object.fromEntries(platforms.map(({ name }) => [name, schema]));
}

function text(description?: string): JSONSchemaProps {
  return { type: "string", ...(description !== undefined && { description }) };
}

function list(items: JSONSchemaProps): JSONSchemaProps {
  return { type: "array", items, "x-kubernetes-list-type": "atomic" };
}

function object(properties: Record<string, JSONSchemaProps>): JSONSchemaProps {
  return { type: "object", properties };
}

/** With further fields, which are nobody's business here. */
function open(properties: Record<string, JSONSchemaProps>): JSONSchemaProps {
  return { ...object(properties), "x-kubernetes-preserve-unknown-fields": true };
}

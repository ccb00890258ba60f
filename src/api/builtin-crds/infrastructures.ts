import type { JSONSchemaProps } from "../types/apiextensions.ts";
import { define, list, object, open, text } from "./definition.ts";

/** The platforms that have virtual addresses of their own. */
const platforms = ["baremetal", "vsphere", "openstack", "nutanix", "ovirt"];

/** The desired state, which people write. */
const spec: JSONSchemaProps = {
  ...object({
    apiServerInternalIPs: vips("apiServerInternalIPs"),
    ingressIPs: vips("ingressIPs"),
    machineNetworks: list(text),
  }),
  ...open,
  "x-kubernetes-validations": ["apiServerInternalIPs", "ingressIPs"].map((name) => ({
    rule: `has(self.${name}) || !has(oldSelf.${name})`,
    message: `${name} list is required once set`,
  })),
};

/** The state in force. The lists count; the singular fields are for clients that do not know the lists. */
const status: JSONSchemaProps = {
  ...object({
    apiServerInternalIP: firstOf("apiServerInternalIPs"),
    apiServerInternalIPs: vips("apiServerInternalIPs"),
    ingressIP: firstOf("ingressIPs"),
    ingressIPs: vips("ingressIPs"),
    nodeDNSIP: text,
    machineNetworks: list(text),
    loadBalancer: object({
      type: {
        ...text,
        enum: ["OpenShiftManagedDefault", "UserManaged"],
        default: "OpenShiftManagedDefault",
      },
    }),
  }),
  ...open,
};

/** The Infrastructure definition, also exported to clusters whose servers evaluate its rules. */
export const infrastructures = define({
  group: "config.openshift.io",
  version: "v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  scope: "Cluster",
  description: "What the cluster runs on, and the virtual addresses it is reached at.",
  spec: {
    ...object({
      cloudConfig: object({ key: text, name: text }),
      platformSpec: { ...object({ type: text, ...each(spec) }), ...open },
    }),
    ...open,
  },
  status: {
    ...object({
      apiServerInternalURI: text,
      apiServerURL: text,
      controlPlaneTopology: text,
      cpuPartitioning: text,
      etcdDiscoveryDomain: text,
      infrastructureName: text,
      infrastructureTopology: text,
      platform: { ...text, description: "Deprecated: use platformStatus.type." },
      platformStatus: { ...object({ type: text, ...each(status) }), ...open },
    }),
    ...open,
  },
});

/** The schema of a list of virtual addresses, at most one per family. */
function vips(name: string): JSONSchemaProps {
  const count = (test: string) => `self.filter(ip, ${test}).size() <= 1`;
  return {
    ...list(text, 2),
    "x-kubernetes-validations": [
      {
        rule: `${count("ip.contains(':')")} && ${count("!ip.contains(':')")}`,
        message: `${name} must contain at most one IPv4 address and at most one IPv6 address`,
      },
    ],
  };
}

function firstOf(name: string): JSONSchemaProps {
  return { ...text, description: `Deprecated: use ${name}, of which this is the first.` };
}

function each(schema: JSONSchemaProps): Record<string, JSONSchemaProps> {
  return Object.fromEntries(platforms.map((platform) => [platform, schema]));
}

import type { JSONSchemaProps } from "../../api/types/apiextensions.ts";
import { define, list, object, open, text } from "./definition.ts";

/** Platforms that have virtual addresses of their own. */
const platforms = ["baremetal", "vsphere", "openstack", "nutanix", "ovirt"];

/** The lists are what counts; the singular fields are for those who do not know them. */
const status: JSONSchemaProps = {
  ...object({
    apiServerInternalIP: text,
    apiServerInternalIPs: list(text, 2),
    ingressIP: text,
    ingressIPs: list(text, 2),
    nodeDNSIP: text,
    machineNetworks: list(text),
    loadBalancer: object({ type: { ...text, default: "OpenShiftManagedDefault" } }),
  }),
  ...open,
};

const spec: JSONSchemaProps = {
  ...object({
    apiServerInternalIPs: list(text, 2),
    ingressIPs: list(text, 2),
    machineNetworks: list(text),
  }),
  ...open,
};

export const infrastructures = define({
  group: "config.openshift.io",
  version: "v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  scope: "Cluster",
  description: "What the cluster runs on, and the virtual addresses it is reached at.",
  spec: object({
    cloudConfig: object({ key: text, name: text }),
    platformSpec: { ...object({ type: text, ...each(spec) }), ...open },
  }),
  status: {
    ...object({
      apiServerInternalURI: text,
      apiServerURL: text,
      controlPlaneTopology: text,
      cpuPartitioning: text,
      etcdDiscoveryDomain: text,
      infrastructureName: text,
      infrastructureTopology: text,
      platform: text,
      platformStatus: { ...object({ type: text, ...each(status) }), ...open },
    }),
    ...open,
  },
});

function each(schema: JSONSchemaProps): Record<string, JSONSchemaProps> {
  return Object.fromEntries(platforms.map((platform) => [platform, schema]));
}

// The platforms without a load balancer of their own, on which the cluster manages its virtual IPs itself.
// They share the fields; this table has all their differences.

/** The use of a virtual IP. */
export type VipUse = "api" | "ingress";

export const vipUses: readonly VipUse[] = ["api", "ingress"];

export interface Platform {
  /** The key in install-config and in Infrastructure objects. */
  readonly name: PlatformName;
  /** The value of `type` in Infrastructure objects. */
  readonly type: string;
  /** The names of the lists and of the deprecated single fields in install-config. */
  readonly fields: Readonly<Record<VipUse, { readonly list: string; readonly single: string }>>;
  /** Whether VIPs are required, and must lie in a machine network: elsewhere the platform may find them. */
  readonly needsVips: "always" | "agentInstaller";
  /** Whether networks and VIPs of both families must have IPv4 first. */
  readonly isIPv4First: boolean;
  /** Whether the operator copies changes of the second pair from spec to status. */
  readonly hasSpec: boolean;
}

export type PlatformName = "baremetal" | "nutanix" | "openstack" | "ovirt" | "vsphere";

const camelCase: Platform["fields"] = {
  api: { list: "apiVIPs", single: "apiVIP" },
  ingress: { list: "ingressVIPs", single: "ingressVIP" },
};

const snakeCase: Platform["fields"] = {
  api: { list: "api_vips", single: "api_vip" },
  ingress: { list: "ingress_vips", single: "ingress_vip" },
};

export const platforms: readonly Platform[] = [
  {
    name: "baremetal",
    type: "BareMetal",
    fields: camelCase,
    needsVips: "always",
    isIPv4First: false,
    hasSpec: true,
  },
  {
    name: "nutanix",
    type: "Nutanix",
    fields: camelCase,
    needsVips: "agentInstaller",
    isIPv4First: true,
    hasSpec: false,
  },
  {
    name: "openstack",
    type: "OpenStack",
    fields: camelCase,
    needsVips: "always",
    isIPv4First: false,
    hasSpec: true,
  },
  {
    name: "ovirt",
    type: "oVirt",
    fields: snakeCase,
    needsVips: "always",
    isIPv4First: true,
    hasSpec: false,
  },
  {
    name: "vsphere",
    type: "VSphere",
    fields: camelCase,
    needsVips: "agentInstaller",
    isIPv4First: false,
    hasSpec: true,
  },
];

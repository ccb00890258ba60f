// The service's own validation rules, with its messages. They differ from those of install-config: API and
// ingress have the same number of VIPs, and each VIP lies in the machine network of its position.

import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { vipConflict } from "../../config/config.ts";
import type { ClusterFields } from "./cluster.ts";

/** The problems of a cluster; an empty list if it is valid. */
export function clusterProblems(cluster: ClusterFields): string[] {
  const problems = [
    ...required(cluster),
    ...counts(cluster),
    ...unparsable(cluster),
    ...duplicates(cluster),
    ...notWanted(cluster),
  ];
  // The rules below need addresses and networks that parse.
  return problems.length > 0
    ? problems
    : [
        ...families(cluster),
        ...version(cluster),
        ...familyOrder(cluster),
        ...membership(cluster),
        ...conflicts(cluster),
      ];
}

const lists = [
  { field: "api_vips", title: "apiVIPs", name: "api-vip" },
  { field: "ingress_vips", title: "ingressVIPs", name: "ingress-vip" },
] as const;

function required({ name, base_dns_domain }: ClusterFields): string[] {
  return [
    ...(name === "" ? ["name is required"] : []),
    ...(base_dns_domain === "" ? ["base_dns_domain is required"] : []),
  ];
}

function counts(cluster: ClusterFields): string[] {
  const problems = lists
    .filter(({ field }) => cluster[field].length > 2)
    .map(({ field, title }) => `${title} supports 2 vips. got: ${cluster[field].length}`);
  const [api, ingress] = [cluster.api_vips.length, cluster.ingress_vips.length];
  const detail = `configuration must include the same number of apiVIPs (got ${api}) and ingressVIPs (got ${ingress})`;
  return api === ingress ? problems : [...problems, detail];
}

function unparsable(cluster: ClusterFields): string[] {
  const networks = [
    ...cluster.machine_networks.map((cidr) => ({ list: "machine_networks", cidr })),
    ...cluster.cluster_networks.map(({ cidr }) => ({ list: "cluster_networks", cidr })),
    ...cluster.service_networks.map((cidr) => ({ list: "service_networks", cidr })),
  ];
  return [
    ...lists
      .flatMap(({ field }) => cluster[field])
      .filter((text) => Address.tryParse(text) === undefined)
      .map((text) => `Could not parse VIP ip ${text}`),
    ...networks
      .filter(({ cidr }) => Prefix.tryParse(cidr) === undefined)
      .map(({ list, cidr }) => `Could not parse ${list} cidr ${cidr}`),
  ];
}

function duplicates(cluster: ClusterFields): string[] {
  const [api, ingress] = lists.map(({ field }) => cluster[field].map(canonical));
  const twice = lists.flatMap(({ field, title }) => {
    const seen = cluster[field].map(canonical);
    return [...new Set(seen.filter((ip, index) => seen.indexOf(ip) !== index))].map(
      (ip) => `The IP address "${ip}" appears multiple times in ${title}`,
    );
  });
  const shared = (api ?? []).filter((ip) => ingress?.includes(ip));
  return [
    ...twice,
    ...[...new Set(shared)].map(
      (ip) => `The IP address "${ip}" appears both in apiVIPs and ingressVIPs`,
    ),
  ];
}

function notWanted(cluster: ClusterFields): string[] {
  const given = lists.filter(({ field }) => cluster[field].length > 0);
  const named = given.map(({ field }) => (field === "api_vips" ? "API VIPs" : "Ingress VIPs"));
  if (cluster.user_managed_networking) {
    return [
      ...(cluster.vip_dhcp_allocation
        ? ["VIP DHCP Allocation cannot be set with User Managed Networking"]
        : []),
      ...named.map((title) => `${title} cannot be set with User Managed Networking`),
    ];
  }
  return cluster.vip_dhcp_allocation
    ? named.map(
        (title) => `Setting ${title} is forbidden when cluster is in vip-dhcp-allocation mode`,
      )
    : [];
}

function families(cluster: ClusterFields): string[] {
  return lists.flatMap(({ field, title }) => {
    const [first, second] = cluster[field].map((text) => Address.parse(text).family);
    if (second === undefined || first !== second) return [];
    const missing = first === "IPv4" ? "IPv6" : "IPv4";
    return [`dual-stack ${title} must include exactly one ${missing} address`];
  });
}

/** The first version with two VIPs for a use. */
const dualStackSince = [4, 12] as const;

function version({ api_vips, openshift_version }: ClusterFields): string[] {
  const [major = 0, minor = 0] = openshift_version.split(".").map(Number);
  const isOlder =
    major < dualStackSince[0] || (major === dualStackSince[0] && minor < dualStackSince[1]);
  return api_vips.length > 1 && openshift_version !== "" && isOlder
    ? [`dual-stack VIPs are not supported in OpenShift ${openshift_version}`]
    : [];
}

/** The problems of family order: in a dual-stack cluster all lists must begin with the same family. */
function familyOrder(cluster: ClusterFields): string[] {
  const all: readonly { readonly name: string; readonly texts: readonly string[] }[] = [
    { name: "machine_networks", texts: cluster.machine_networks },
    { name: "api_vips", texts: cluster.api_vips },
    { name: "ingress_vips", texts: cluster.ingress_vips },
    { name: "service_networks", texts: cluster.service_networks },
    { name: "cluster_networks", texts: cluster.cluster_networks.map(({ cidr }) => cidr) },
  ];
  const present = new Set(all.flatMap(({ texts }) => texts.map(familyOf)));
  if (present.size < 2) return [];
  const [primary, ...others] = all.flatMap(({ name, texts: [text] }) =>
    text === undefined ? [] : [{ name, text }],
  );
  return others
    .filter(({ text }) => familyOf(text) !== familyOf(primary?.text ?? ""))
    .map(
      ({ name, text }) =>
        `Inconsistent IP family order: ${primary?.name} first IP is ${primary?.text} but ${name} first IP is ${text}. All networks must have the same IP family first`,
    );
}

function membership(cluster: ClusterFields): string[] {
  const networks = cluster.machine_networks.map(Prefix.parse);
  if (networks.length === 0) {
    return cluster.api_vips.length > 1
      ? ["Dual-stack cluster cannot be created with empty Machine Networks"]
      : [];
  }
  return lists.flatMap(({ field, name }) =>
    cluster[field].flatMap((text, index) => {
      const network = networks[index];
      const vip = Address.parse(text);
      if (network === undefined) {
        const present = networks.join(", ");
        return [
          `${name} <${text}> has no machine network in its place: there are ${networks.length} (${present}) for ${cluster[field].length} VIPs`,
        ];
      }
      const where = `machine-network-cidr <${network}>`;
      if (!network.contains(vip)) return [`${name} <${text}> does not belong to ${where}`];
      const isBroadcast = vip.family === "IPv4" && vip.equals(network.last);
      return isBroadcast ? [`${name} <${text}> is the broadcast address of ${where}`] : [];
    }),
  );
}

/** The conflicts that no interface accepts for a VIP. */
function conflicts(cluster: ClusterFields): string[] {
  const taken = {
    nodes: [],
    // The broadcast address has a message of its own here.
    machineNetworks: cluster.machine_networks.map(Prefix.parse),
    podNetworks: cluster.cluster_networks.map(({ cidr }) => Prefix.parse(cidr)),
    serviceNetworks: cluster.service_networks.map(Prefix.parse),
  };
  return lists.flatMap(({ field, name }) =>
    cluster[field].flatMap((text) => {
      const conflict = vipConflict(Address.parse(text), taken);
      const isSaid = conflict?.startsWith("is the broadcast address") === true;
      return conflict === undefined || isSaid ? [] : [`${name} <${text}> ${conflict}`];
    }),
  );
}

function canonical(text: string): string {
  return Address.tryParse(text)?.toString() ?? text;
}

function familyOf(text: string): Family | undefined {
  return (Address.tryParse(text) ?? Prefix.tryParse(text))?.family;
}

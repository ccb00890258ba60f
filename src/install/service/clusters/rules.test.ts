import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../errors.ts";
import { readRequest } from "./read-request.ts";

type Json = Record<string, unknown>;

const [v4, v6] = ["192.168.111.5", "fd00:111::5"];
const [ingress4, ingress6] = ["192.168.111.4", "fd00:111::4"];
const vips = (...ips: string[]) => ips.map((ip) => ({ ip }));
const networks = (...cidrs: string[]) => cidrs.map((cidr) => ({ cidr }));
const base: Json = { name: "ostest", base_dns_domain: "example.com", openshift_version: "4.16" };
const machine = { machine_networks: networks("192.168.111.0/24", "fd00:111::/64") };
const single: Json = {
  ...base,
  machine_networks: networks("192.168.111.0/24"),
  api_vips: vips(v4),
  ingress_vips: vips(ingress4),
};
const dual: Json = {
  ...base,
  ...machine,
  api_vips: vips(v4, v6),
  ingress_vips: vips(ingress4, ingress6),
};
const order = (first: string, other: string) =>
  `Inconsistent IP family order: ${first} but ${other}. All networks must have the same IP family first`;

const rows: readonly { name: string; body: Json; problems: readonly string[] }[] = [
  { name: "one family", body: single, problems: [] },
  { name: "both families", body: dual, problems: [] },
  { name: "no VIPs yet", body: base, problems: [] },
  {
    name: "no name and no domain",
    body: {},
    problems: ["name is required", "base_dns_domain is required"],
  },
  {
    name: "the singular is not the first of the list",
    body: { ...dual, api_vip: v6, ingress_vip: ingress4 },
    problems: ["apiVIP must be the same as the first element of apiVIPs"],
  },
  {
    name: "too many",
    body: { ...dual, api_vips: vips(v4, v6, "192.168.111.6"), ingress_vips: vips(ingress4) },
    problems: [
      "apiVIPs supports 2 vips. got: 3",
      "configuration must include the same number of apiVIPs (got 3) and ingressVIPs (got 1)",
    ],
  },
  {
    name: "no addresses, no networks",
    body: { ...single, api_vips: vips("foobar"), service_networks: networks("x") },
    problems: ["Could not parse VIP ip foobar", "Could not parse service_networks cidr x"],
  },
  {
    name: "one address twice, in two spellings",
    body: { ...dual, api_vips: vips(v6, "FD00:111::0:5") },
    problems: [`The IP address "${v6}" appears multiple times in apiVIPs`],
  },
  {
    name: "one address for both uses",
    body: { ...single, ingress_vips: vips(v4) },
    problems: [`The IP address "${v4}" appears both in apiVIPs and ingressVIPs`],
  },
  {
    name: "two of one family",
    body: {
      ...base,
      machine_networks: networks("fd00:111::/64", "fd00:112::/64"),
      api_vips: vips(v6, "fd00:112::5"),
      ingress_vips: vips(ingress6, "fd00:112::4"),
    },
    problems: [
      "dual-stack apiVIPs must include exactly one IPv4 address",
      "dual-stack ingressVIPs must include exactly one IPv4 address",
    ],
  },
  {
    name: "a version without dual-stack VIPs",
    body: { ...dual, openshift_version: "4.11.9" },
    problems: ["dual-stack VIPs are not supported in OpenShift 4.11.9"],
  },
  {
    name: "families in another order",
    body: {
      ...dual,
      api_vips: vips(v6, v4),
      service_networks: networks("fd02::/112", "172.30.0.0/16"),
    },
    problems: [
      order("machine_networks first IP is 192.168.111.0/24", `api_vips first IP is ${v6}`),
      order(
        "machine_networks first IP is 192.168.111.0/24",
        "service_networks first IP is fd02::/112",
      ),
      `api-vip <${v6}> does not belong to machine-network-cidr <192.168.111.0/24>`,
      `api-vip <${v4}> does not belong to machine-network-cidr <fd00:111::/64>`,
    ],
  },
  {
    name: "the broadcast address",
    body: { ...single, api_vips: vips("192.168.111.255") },
    problems: [
      "api-vip <192.168.111.255> is the broadcast address of machine-network-cidr <192.168.111.0/24>",
    ],
  },
  {
    name: "[VIP-11] addresses that are used already, or set aside",
    body: {
      ...base,
      machine_networks: networks("192.168.0.0/16"),
      cluster_networks: [{ cidr: "192.168.200.0/24", host_prefix: 26 }],
      service_networks: networks("192.168.201.0/24"),
      api_vips: vips("192.168.200.5"),
      ingress_vips: vips("192.168.201.5"),
    },
    problems: [
      "api-vip <192.168.200.5> is in the pod network 192.168.200.0/24",
      "ingress-vip <192.168.201.5> is in the service network 192.168.201.0/24",
    ],
  },
  {
    name: "[VIP-11] the network's own address",
    body: { ...single, api_vips: vips("192.168.111.0") },
    problems: ["api-vip <192.168.111.0> is the network address of 192.168.111.0/24"],
  },
  {
    name: "a second VIP without a second machine network",
    body: { ...dual, machine_networks: networks("192.168.111.0/24") },
    problems: [
      `api-vip <${v6}> has no machine network in its place: there are 1 (192.168.111.0/24) for 2 VIPs`,
      `ingress-vip <${ingress6}> has no machine network in its place: there are 1 (192.168.111.0/24) for 2 VIPs`,
    ],
  },
  {
    name: "both families without machine networks",
    body: { ...dual, machine_networks: [] },
    problems: ["Dual-stack cluster cannot be created with empty Machine Networks"],
  },
  {
    name: "VIPs that are somebody else's",
    body: { ...single, user_managed_networking: true },
    problems: [
      "API VIPs cannot be set with User Managed Networking",
      "Ingress VIPs cannot be set with User Managed Networking",
    ],
  },
  {
    name: "VIPs that come from DHCP",
    body: { ...single, vip_dhcp_allocation: true },
    problems: [
      "Setting API VIPs is forbidden when cluster is in vip-dhcp-allocation mode",
      "Setting Ingress VIPs is forbidden when cluster is in vip-dhcp-allocation mode",
    ],
  },
];

for (const { name, body, problems } of rows) {
  test(`[VIP-6] the service's own rules: ${name}`, () => {
    assert.deepEqual(problemsOf(body), problems);
  });
}

function problemsOf(body: Json): readonly string[] {
  try {
    readRequest(body);
    return [];
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.problems;
  }
}

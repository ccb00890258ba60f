import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { type ReadOptions, readInstallConfig, vipNames } from "./read.ts";
import {
  dualStackNetworking,
  dualStackVips,
  ipv4Networking,
  ipv6FirstNetworking,
  sample,
} from "./testing/sample.ts";

type Json = Record<string, unknown>;

interface Row extends ReadOptions {
  readonly name: string;
  readonly platform: Json;
  readonly networking?: Json;
  readonly errors?: readonly string[];
  readonly api?: readonly string[];
  readonly warnings?: readonly string[];
}

const [v4, v6] = ["192.168.111.5", "fd2e:6f44:5dd8:c956::5"];
const [ingress4, ingress6] = ["192.168.111.4", "fd2e:6f44:5dd8:c956::4"];
const path = "platform.baremetal";

const rows: readonly Row[] = [
  {
    name: "a dual-stack pair in the order of the networks",
    platform: { baremetal: dualStackVips },
    api: [v4, v6],
    warnings: [],
  },
  {
    name: "IPv6 first, where all networks have it first",
    platform: { baremetal: { apiVIPs: [v6, v4], ingressVIPs: [ingress6, ingress4] } },
    networking: ipv6FirstNetworking,
    api: [v6, v4],
  },
  {
    name: "one VIP of the primary family in a dual-stack cluster",
    platform: { baremetal: { apiVIPs: [v4], ingressVIPs: [ingress4] } },
    api: [v4],
  },
  {
    name: "API and ingress may differ in number",
    platform: { baremetal: { apiVIPs: [v4, v6], ingressVIPs: [ingress4] } },
    api: [v4, v6],
  },
  {
    name: "single fields become lists, with a warning",
    platform: { baremetal: { apiVIP: v4, ingressVIP: ingress4 } },
    api: [v4],
    warnings: [
      `${path}.apiVIP is deprecated; use apiVIPs`,
      `${path}.ingressVIP is deprecated; use ingressVIPs`,
    ],
  },
  {
    name: "a single field may repeat any element of its list, in any spelling",
    platform: { baremetal: { ...dualStackVips, apiVIP: "FD2E:6f44:5dd8:c956:0::5" } },
    api: [v4, v6],
    warnings: [`${path}.apiVIP is deprecated; use apiVIPs`],
  },
  {
    name: "a single field that is not in its list is named by its right name",
    platform: { baremetal: { ...dualStackVips, apiVIP: "192.168.111.9" } },
    errors: [
      `${path}.apiVIP: Invalid value: "192.168.111.9": apiVIP is deprecated; only apiVIPs needs to be specified`,
    ],
  },
  {
    name: "a spelling that differs in case is read, with a warning",
    platform: { baremetal: { apiVips: [v4], ingressVIPs: [ingress4] } },
    api: [v4],
    warnings: [`${path}.apiVips is read as apiVIPs, which is how it is spelled`],
  },
  {
    name: "no VIPs at all",
    platform: { baremetal: {} },
    errors: [
      `${path}.apiVIPs: Required value: must specify at least one VIP for the API`,
      `${path}.ingressVIPs: Required value: must specify at least one VIP for the Ingress`,
    ],
  },
  {
    name: "no VIPs, but the DNS has them",
    platform: { baremetal: {} },
    found: { api: v4, ingress: ingress4 },
    api: [v4],
  },
  {
    name: "too many",
    platform: { baremetal: { apiVIPs: [v4, v6, "192.168.111.6"], ingressVIPs: [ingress4] } },
    errors: [`${path}.apiVIPs: Too many: 3: must have at most 2 items`],
  },
  {
    name: "no address",
    platform: { baremetal: { apiVIPs: ["foobar"], ingressVIPs: [ingress4] } },
    errors: [`${path}.apiVIPs: Invalid value: "foobar": "foobar" is not a valid IP`],
  },
  {
    name: "outside of the machine networks",
    platform: { baremetal: { apiVIPs: ["192.168.112.5"], ingressVIPs: [ingress4] } },
    errors: [
      `${path}.apiVIPs: Invalid value: "192.168.112.5": IP expected to be in one of the machine networks: 192.168.111.0/24,fd2e:6f44:5dd8:c956::/64`,
    ],
  },
  {
    name: "one address for both uses, in two spellings",
    platform: {
      baremetal: { apiVIPs: [v4, v6], ingressVIPs: [ingress4, "fd2e:6f44:5dd8:c956:0::5"] },
    },
    errors: [
      `${path}.apiVIPs: Invalid value: "${v6}": VIP for API must not be one of the Ingress VIPs`,
    ],
  },
  {
    name: "an own load balancer may have one address for both, from anywhere",
    platform: {
      baremetal: {
        apiVIPs: ["10.1.1.1"],
        ingressVIPs: ["10.1.1.1"],
        loadBalancer: { type: "UserManaged" },
      },
    },
    api: ["10.1.1.1"],
  },
  {
    name: "two of one family",
    platform: { baremetal: { apiVIPs: [v4, "192.168.111.6"], ingressVIPs: [ingress4] } },
    networking: ipv4Networking,
    errors: [
      `${path}.apiVIPs: Invalid value: ["${v4}","192.168.111.6"]: If two API VIPs are given, one must be an IPv4 address, the other an IPv6`,
    ],
  },
  {
    name: "a first VIP of another family than the networks have first",
    platform: { baremetal: { apiVIPs: [v6], ingressVIPs: [ingress4] } },
    errors: ["clusterNetwork", "machineNetwork", "serviceNetwork"].map(
      (kind) =>
        `${path}.apiVIPs: Invalid value: "${v6}": ${kind} primary IP Family and primary IP family for the API VIP should match`,
    ),
  },
  {
    name: "only one use, where VIPs are optional",
    platform: { vsphere: { apiVIPs: [v4] } },
    errors: [
      "platform.vsphere.ingressVIPs: Required value: must specify VIP for ingress, when VIP for API is set",
    ],
  },
  {
    name: "the other use",
    platform: { nutanix: { ingressVIPs: [v4] } },
    errors: [
      "platform.nutanix.apiVIPs: Required value: must specify VIP for API, when VIP for ingress is set",
    ],
  },
  { name: "none, where they are optional", platform: { vsphere: {} }, api: [] },
  {
    name: "none, where agents need them",
    platform: { vsphere: {} },
    agentInstaller: true,
    errors: [
      "platform.vsphere.apiVIPs: Required value: must specify at least one VIP for the API",
      "platform.vsphere.ingressVIPs: Required value: must specify at least one VIP for the Ingress",
    ],
  },
  {
    name: "oVirt spells the fields in its own way and has IPv4 first",
    platform: { ovirt: { api_vips: [v6, v4], ingress_vip: ingress4 } },
    api: [v4, v6],
    warnings: [
      `platform.ovirt.api_vips: ${v4} is put before ${v6}, since this platform has IPv4 first`,
      "platform.ovirt.ingress_vip is deprecated; use ingress_vips",
    ],
  },
  {
    name: "[VIP-11] an address of a host, and hosts that share one",
    platform: {
      baremetal: {
        apiVIPs: [v4, v6],
        ingressVIPs: ["192.168.111.20", ingress6],
        hosts: [
          host("a", "192.168.111.20"),
          host("b", "192.168.111.21"),
          host("c", "192.168.111.21"),
        ],
      },
    },
    errors: [
      `${path}.hosts[2].networkConfig: Duplicate value: "192.168.111.21"`,
      `${path}.ingressVIPs: Invalid value: "192.168.111.20": VIP is the address of node a`,
    ],
  },
  {
    name: "[VIP-11] addresses that a network has set aside",
    platform: {
      baremetal: {
        apiVIPs: ["192.168.111.255", "fd2e:6f44:5dd8:c956::"],
        ingressVIPs: ["192.168.111.0", ingress6],
      },
    },
    errors: [
      `${path}.apiVIPs: Invalid value: "192.168.111.255": VIP is the broadcast address of 192.168.111.0/24`,
      `${path}.apiVIPs: Invalid value: "fd2e:6f44:5dd8:c956::": VIP is the subnet-router anycast address of fd2e:6f44:5dd8:c956::/64`,
      `${path}.ingressVIPs: Invalid value: "192.168.111.0": VIP is the network address of 192.168.111.0/24`,
    ],
  },
  {
    name: "[VIP-11] addresses of pods and services, also behind an own load balancer",
    platform: {
      baremetal: {
        loadBalancer: { type: "UserManaged" },
        apiVIPs: ["10.128.0.5"],
        ingressVIPs: ["172.30.0.5"],
      },
    },
    errors: [
      `${path}.apiVIPs: Invalid value: "10.128.0.5": VIP is in the pod network 10.128.0.0/14`,
      `${path}.ingressVIPs: Invalid value: "172.30.0.5": VIP is in the service network 172.30.0.0/16`,
    ],
  },
  {
    name: "everything that is wrong is told at once",
    platform: { openstack: { apiVIP: "x", apiVIPs: ["foobar"], ingressVIPs: [5] } },
    errors: [
      'platform.openstack.apiVIP: Invalid value: "x": apiVIP is deprecated; only apiVIPs needs to be specified',
      "platform.openstack.ingressVIPs[0]: Invalid value: 5: must be a text",
      'platform.openstack.apiVIPs: Invalid value: "foobar": "foobar" is not a valid IP',
      "platform.openstack.ingressVIPs: Required value: must specify at least one VIP for the Ingress",
      "platform.openstack.ingressVIPs: Required value: must specify VIP for ingress, when VIP for API is set",
    ],
  },
];

for (const { name, platform, networking, errors = [], api, warnings, ...options } of rows) {
  test(`[VIP-1] install-config, VIPs: ${name}`, () => {
    const read = readInstallConfig(sample(platform, networking ?? dualStackNetworking), options);
    assert.deepEqual(read.errors.map(fieldErrorText), errors);
    assert.deepEqual(read.config?.vips.api.map(String), api);
    if (warnings !== undefined) assert.deepEqual(read.warnings, warnings);
  });
}

function host(name: string, ip: string): Json {
  const address = [{ ip, "prefix-length": 24 }];
  return { name, networkConfig: { interfaces: [{ name: "eth0", ipv4: { address } }] } };
}

test("[VIP-1] the names that answer with the VIPs", () => {
  assert.deepEqual(vipNames(sample({})), {
    api: "api.ostest.example.com",
    ingress: "test.apps.ostest.example.com",
  });
});

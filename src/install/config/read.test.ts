import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { readInstallConfig } from "./read.ts";
import {
  dualStackNetworking,
  dualStackVips,
  ipv4Networking,
  ipv6FirstNetworking,
  sample,
} from "./testing/sample.ts";

type Json = Record<string, unknown>;

const platform = { baremetal: dualStackVips };
const nothing = { vsphere: {} };
const dualStack = "dual-stack IPv4/IPv6 requires an";

const rows: { name: string; networking: Json; platform?: Json; errors: readonly string[] }[] = [
  { name: "both families", networking: dualStackNetworking, errors: [] },
  { name: "only what has no default", networking: ipv4Networking, platform: nothing, errors: [] },
  {
    name: "IPv6 first where a platform has IPv4 first",
    networking: ipv6FirstNetworking,
    platform: { nutanix: {} },
    errors: ["clusterNetwork", "machineNetwork", "serviceNetwork"].map(
      (kind) =>
        `networking.${kind}: Invalid value: "${listed(kind)}": IPv4 addresses must be listed before IPv6 addresses`,
    ),
  },
  {
    name: "a list without one of the families",
    networking: { ...dualStackNetworking, clusterNetwork: [{ cidr: "fd01::/48", hostPrefix: 64 }] },
    platform: nothing,
    errors: [
      `networking.clusterNetwork: Invalid value: "fd01::/48": ${dualStack} IPv4 network in this list`,
    ],
  },
  {
    name: "one service network for two families",
    networking: { ...dualStackNetworking, serviceNetwork: ["172.30.0.0/16"] },
    platform: nothing,
    errors: [
      'networking.serviceNetwork: Invalid value: "172.30.0.0/16": when installing dual-stack IPv4/IPv6 you must provide two service networks, one for each IP address type',
      `networking.serviceNetwork: Invalid value: "172.30.0.0/16": ${dualStack} IPv6 network in this list`,
    ],
  },
  {
    name: "two service networks for one family",
    networking: { ...ipv4Networking, serviceNetwork: ["172.30.0.0/16", "172.31.0.0/16"] },
    platform: nothing,
    errors: [
      'networking.serviceNetwork: Invalid value: "172.30.0.0/16, 172.31.0.0/16": only one service network can be specified',
    ],
  },
  {
    name: "networks that are none",
    networking: {
      machineNetwork: [{ cidr: "192.168.111.7/24" }, { cidr: "nonsense" }, {}],
      serviceNetwork: ["0.0.0.0/0"],
    },
    platform: nothing,
    errors: [
      'networking.machineNetwork[0]: Invalid value: "192.168.111.7/24": invalid network address. got 192.168.111.7/24, expecting 192.168.111.0/24',
      'networking.machineNetwork[1]: Invalid value: "nonsense": invalid CIDR address',
      'networking.machineNetwork[2]: Invalid value: "": invalid CIDR address',
      'networking.serviceNetwork[0]: Invalid value: "0.0.0.0/0": address must be specified',
      'networking.clusterNetwork[0]: Invalid value: "10.128.0.0/14": cluster network must not overlap with service network 0',
      'networking.serviceNetwork[0]: Invalid value: "0.0.0.0/0": service network must not overlap with any of the machine networks',
    ],
  },
  {
    name: "overlaps",
    networking: {
      machineNetwork: [{ cidr: "10.0.0.0/16" }, { cidr: "10.0.1.0/24" }],
      clusterNetwork: [
        { cidr: "10.0.0.0/17", hostPrefix: 23 },
        { cidr: "10.0.64.0/18", hostPrefix: 24 },
      ],
      serviceNetwork: ["10.0.0.0/20"],
    },
    platform: nothing,
    errors: [
      'networking.clusterNetwork[0]: Invalid value: "10.0.0.0/17": cluster network must not overlap with any of the machine networks',
      'networking.clusterNetwork[0]: Invalid value: "10.0.0.0/17": cluster network must not overlap with any of the machine networks',
      'networking.clusterNetwork[0]: Invalid value: "10.0.0.0/17": cluster network must not overlap with service network 0',
      'networking.clusterNetwork[1]: Invalid value: "10.0.64.0/18": cluster network must not overlap with any of the machine networks',
      'networking.clusterNetwork[1]: Invalid value: "10.0.64.0/18": cluster network must not overlap with cluster network 0',
      'networking.machineNetwork[1]: Invalid value: "10.0.1.0/24": machine network must not overlap with machine network 0',
      'networking.serviceNetwork[0]: Invalid value: "10.0.0.0/20": service network must not overlap with any of the machine networks',
      'networking.serviceNetwork[0]: Invalid value: "10.0.0.0/20": service network must not overlap with any of the machine networks',
      "networking.clusterNetwork[1].hostPrefix: Invalid value: 24: cluster network host subnetwork prefix must be the same value for IPv4 networks",
    ],
  },
  {
    name: "what each node gets",
    networking: {
      ...dualStackNetworking,
      clusterNetwork: [
        { cidr: "10.128.0.0/14", hostPrefix: 13 },
        { cidr: "fd01::/48", hostPrefix: 65 },
        { cidr: "10.64.0.0/14", hostPrefix: 33 },
        { cidr: "fd03::/48", hostPrefix: -1 },
      ],
    },
    platform: nothing,
    errors: [
      "networking.clusterNetwork[0].hostPrefix: Invalid value: 13: cluster network host subnetwork prefix must not be larger size than CIDR 10.128.0.0/14",
      "networking.clusterNetwork[1].hostPrefix: Invalid value: 65: cluster network host subnetwork prefix must be 64 for IPv6 networks",
      "networking.clusterNetwork[2].hostPrefix: Invalid value: 33: cluster network host subnetwork prefix must not be longer than 32 for IPv4 networks",
      "networking.clusterNetwork[3].hostPrefix: Invalid value: -1: hostPrefix must be positive",
    ],
  },
];

for (const row of rows) {
  test(`[VIP-1] install-config, networks: ${row.name}`, () => {
    const read = readInstallConfig(sample(row.platform ?? platform, row.networking));
    assert.deepEqual(read.errors.map(fieldErrorText), row.errors);
  });
}

test("[VIP-1] install-config: version, name, domain, platform and replicas are checked", () => {
  const wrong = { apiVersion: "v2", metadata: { name: "Not a name" }, platform: { aws: {} } };
  const read = readInstallConfig(JSON.stringify({ ...wrong, controlPlane: { replicas: 0 } }));
  assert.deepEqual(
    read.errors.map(({ field, value }) => [field, value]),
    [
      ["apiVersion", "v2"],
      ["metadata.name", "Not a name"],
      ["baseDomain", undefined],
      ["controlPlane.replicas", 0],
      ["platform", "aws"],
    ],
  );
});

test("[VIP-1] install-config: one platform only", () => {
  const read = readInstallConfig(sample({ baremetal: dualStackVips, none: {} }));
  assert.deepEqual(read.errors.map(fieldErrorText), [
    'platform: Invalid value: "baremetal": must only specify a single type of platform; cannot use both "baremetal" and "none"',
  ]);
});

test("install-config: hosts get roles, and addresses of the machine networks", () => {
  const linked = (name: string, ...ips: string[]) => ({
    name,
    networkConfig: {
      interfaces: [
        { name: "eth9", ipv4: { address: [{ ip: "10.9.9.9", "prefix-length": 24 }] } },
        {
          name: "eth0",
          ipv4: { address: ips.filter((ip) => !ip.includes(":")).map((ip) => ({ ip })) },
          ipv6: { address: ips.filter((ip) => ip.includes(":")).map((ip) => ({ ip })) },
        },
      ],
    },
  });
  const hosts = [
    linked("a", "192.168.111.20", "fd2e:6f44:5dd8:c956::20"),
    { ...linked("b", "192.168.111.21"), role: "worker" },
    { name: "c" },
    { name: "d", role: "master" },
    { name: "e" },
    { name: "f" },
  ];
  const read = readInstallConfig(sample({ baremetal: { ...dualStackVips, hosts } }));
  assert.deepEqual(
    read.config?.hosts.map((host) => [host.name, host.role, host.interface, host.addresses.join()]),
    [
      ["a", "master", "eth0", "192.168.111.20,fd2e:6f44:5dd8:c956::20"],
      ["b", "worker", "eth0", "192.168.111.21"],
      ["c", "master", undefined, ""],
      ["d", "master", undefined, ""],
      ["e", "worker", undefined, ""],
      ["f", "worker", undefined, ""],
    ],
  );
});

test("install-config: a document that is none", () => {
  assert.deepEqual(readInstallConfig("- 1").errors[0]?.field, "(document)");
  assert.throws(() => readInstallConfig("a: [b"), /no valid YAML at line 1/);
});

function listed(kind: string): string {
  const list = ipv6FirstNetworking[kind] as (string | { cidr: string })[];
  return list.map((one) => (typeof one === "string" ? one : one.cidr)).join(", ");
}

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { migrateInstallConfig } from "./migrate.ts";
import { readInstallConfig } from "./read.ts";

const old = `# our cluster
apiVersion: v1beta4
baseDomain: example.com
metadata:
  name: ostest
networking:
  type: OVNKubernetes
  machineCIDR: 192.168.111.0/24 # the LAN
  # for pods
  clusterNetworks:
    - cidr: 10.128.0.0/14
      hostSubnetLength: 9
  serviceCIDR: 172.30.0.0/16
platform:
  baremetal:
    # reached by everybody
    apiVIP: 192.168.111.5
    ingressVIP: 192.168.111.4
    provisioningNetwork: Disabled
pullSecret: '{"auths": {}}'
`;

const present = `# our cluster
apiVersion: v1
baseDomain: example.com
metadata:
  name: ostest
networking:
  networkType: OVNKubernetes
  machineNetwork:
    - cidr: 192.168.111.0/24 # the LAN
  # for pods
  clusterNetwork:
    - cidr: 10.128.0.0/14
      hostPrefix: 23
  serviceNetwork:
    - 172.30.0.0/16
platform:
  baremetal:
    # reached by everybody
    apiVIPs:
      - 192.168.111.5
    ingressVIPs:
      - 192.168.111.4
    provisioningNetwork: Disabled
pullSecret: '{"auths": {}}'
`;

test("[VIP-1] migrating takes away what is deprecated and keeps the rest, comments included", () => {
  assert.equal(migrateInstallConfig(old), present);
  assert.equal(migrateInstallConfig(present), present);
});

const [v4, v6] = ["192.168.111.5", "fd2e:6f44:5dd8:c956::5"];

const anyPlatform = fc.constantFrom(
  { name: "baremetal", api: "apiVIP", ingress: "ingressVIP" },
  { name: "openstack", api: "APIVip", ingress: "ingressVIP" },
  { name: "ovirt", api: "api_vip", ingress: "ingress_vip" },
  { name: "nutanix", api: "apivip", ingress: "ingressVip" },
);
const anyList = fc.constantFrom(undefined, [], [v4], [v4, v6], [v6, v4]);
const anyNetworking = fc.record(
  {
    machineCIDR: fc.constant("192.168.111.0/24"),
    machineNetwork: fc.constant([
      { cidr: "192.168.111.0/24" },
      { cidr: "fd2e:6f44:5dd8:c956::/64" },
    ]),
    clusterNetworks: fc.constant([{ cidr: "10.128.0.0/14", hostSubnetLength: 9 }]),
    clusterNetwork: fc.constant([
      { cidr: "10.128.0.0/14", hostSubnetLength: 9 },
      { cidr: "fd01::/48", hostPrefix: 64 },
    ]),
    serviceCIDR: fc.constant("172.30.0.0/16"),
    serviceNetwork: fc.constant(["172.30.0.0/16", "fd02::/112"]),
    type: fc.constant("Tandem"),
    networkType: fc.constant("Tandem"),
  },
  { requiredKeys: [] },
);

test("[VIP-1] what is migrated reads the same, and without a warning", () => {
  let migrated = 0;
  fc.assert(
    fc.property(anyPlatform, anyList, fc.boolean(), anyNetworking, (platform, list, both, net) => {
      const text = JSON.stringify({
        apiVersion: "v1beta3",
        baseDomain: "example.com",
        metadata: { name: "ostest" },
        networking: net,
        platform: {
          [platform.name]: {
            [platform.ingress]: "192.168.111.4",
            ...(list !== undefined && { [`${platform.api}s`]: list }),
            ...((list?.[0] === undefined || both) && { [platform.api]: v4 }),
          },
        },
      });
      const before = readInstallConfig(text);
      const after = readInstallConfig(migrateInstallConfig(text));
      assert.deepEqual(after.config, before.config);
      assert.deepEqual(after.warnings, []);
      if (before.config !== undefined) migrated++;
    }),
    { numRuns: 500 },
  );
  assert.ok(migrated > 20, `only ${migrated} of them were valid`);
});

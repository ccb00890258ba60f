// Install-configs for the tests of this folder.

type Json = Record<string, unknown>;

export const dualStackNetworking: Json = {
  networkType: "OVNKubernetes",
  machineNetwork: [{ cidr: "192.168.111.0/24" }, { cidr: "fd2e:6f44:5dd8:c956::/64" }],
  clusterNetwork: [
    { cidr: "10.128.0.0/14", hostPrefix: 23 },
    { cidr: "fd01::/48", hostPrefix: 64 },
  ],
  serviceNetwork: ["172.30.0.0/16", "fd02::/112"],
};

export const ipv6FirstNetworking: Json = {
  ...dualStackNetworking,
  machineNetwork: reversed("machineNetwork"),
  clusterNetwork: reversed("clusterNetwork"),
  serviceNetwork: reversed("serviceNetwork"),
};

export const ipv4Networking: Json = { machineNetwork: [{ cidr: "192.168.111.0/24" }] };

export const dualStackVips: Json = {
  apiVIPs: ["192.168.111.5", "fd2e:6f44:5dd8:c956::5"],
  ingressVIPs: ["192.168.111.4", "fd2e:6f44:5dd8:c956::4"],
};

/** A sample document as JSON, which is YAML too. */
export function sample(platform: Json, networking: Json = dualStackNetworking): string {
  return JSON.stringify({
    apiVersion: "v1",
    baseDomain: "example.com",
    metadata: { name: "ostest" },
    networking,
    platform,
  });
}

function reversed(kind: string): unknown[] {
  return (dualStackNetworking[kind] as unknown[]).toReversed();
}

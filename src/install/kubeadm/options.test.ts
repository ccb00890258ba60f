import assert from "node:assert/strict";
import { test } from "node:test";
import { serverConfigOf, upConfigOf } from "./options.ts";

const documents = [
  {
    apiVersion: "kubeadm.k8s.io/v1beta4",
    kind: "ClusterConfiguration",
    networking: { podSubnet: "fd00:10:20::/72,10.20.0.0/16", serviceSubnet: "fd00:1234::/112" },
    controllerManager: { extraArgs: [{ name: "node-cidr-mask-size-ipv6", value: "88" }] },
    apiServer: { certSANs: ["api.example.net"] },
  },
  {
    apiVersion: "kubeadm.k8s.io/v1beta4",
    kind: "InitConfiguration",
    localAPIEndpoint: { advertiseAddress: "fd00:90::2,10.90.0.2", bindPort: 7443 },
  },
];

test("[KADM-1] a configuration of kubeadm is one of `tandem server`", () => {
  assert.deepEqual(serverConfigOf(documents), {
    clusterCidr: ["fd00:10:20::/72", "10.20.0.0/16"],
    serviceCidr: ["fd00:1234::/112"],
    listen: ["[fd00:90::2]:7443", "10.90.0.2:7443"],
    tlsSan: ["api.example.net"],
    nodeCidrMaskSizeIpv6: 88,
  });
});

test("[KADM-1] a configuration of kubeadm is one of `tandem up`", () => {
  assert.deepEqual(upConfigOf(documents), {
    podCidr: ["fd00:10:20::/72", "10.20.0.0/16"],
    serviceCidr: ["fd00:1234::/112"],
    advertise: ["fd00:90::2", "10.90.0.2"],
    nodeCidr: ["fd00:90::/64", "10.90.0.0/24"],
  });
});

test("other files are left to be read as our own", () => {
  for (const read of [serverConfigOf, upConfigOf]) assert.equal(read([{ nodes: 2 }]), undefined);
});

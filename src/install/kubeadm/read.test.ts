import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { UsageError } from "../../base/program/errors.ts";
import { kubeadmManifests } from "./manifests.ts";
import { readKubeadm } from "./read.ts";

const forms = {
  "the first form": `
api:
  advertiseAddress: "fd00:90::2,10.90.0.2"
networking:
  podSubnet: "fd00:10:20::/72,10.20.0.0/16"
  serviceSubnet: fd00:1234::/112,10.96.0.0/12
`,
  MasterConfiguration: `
apiVersion: kubeadm.k8s.io/v1alpha1
kind: MasterConfiguration
api: { advertiseAddress: "fd00:90::2,10.90.0.2", bindPort: 6443 }
networking: { podSubnet: "fd00:10:20::/72, 10.20.0.0/16", serviceSubnet: "fd00:1234::/112,10.96.0.0/12" }
`,
  v1beta3: `
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
localAPIEndpoint: { advertiseAddress: "fd00:90::2,10.90.0.2" }
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
networking: { serviceSubnet: "fd00:1234::/112,10.96.0.0/12" }
controllerManager: { extraArgs: { cluster-cidr: "fd00:10:20::/72,10.20.0.0/16" } }
`,
  v1beta4: `
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
networking: { podSubnet: "fd00:10:20::/72,10.20.0.0/16", serviceSubnet: "fd00:1234::/112,10.96.0.0/12" }
controllerManager: { extraArgs: [{ name: bind-address, value: "::" }] }
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: { advertiseAddress: "fd00:90::2,10.90.0.2", bindPort: 6443 }
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
`,
};

for (const [form, text] of Object.entries(forms)) {
  test(`[KADM-1] ${form} is read`, () => {
    const found = read(text);
    assert.deepEqual(found?.advertiseAddresses.map(String), ["fd00:90::2", "10.90.0.2"]);
    assert.deepEqual(found.podSubnets.map(String), ["fd00:10:20::/72", "10.20.0.0/16"]);
    assert.deepEqual(found.serviceSubnets.map(String), ["fd00:1234::/112", "10.96.0.0/12"]);
    assert.equal(found.bindPort, 6443);
  });
}

test("[KADM-1] sizes and names are read in both spellings of extra arguments", () => {
  const sizes = [
    "{ node-cidr-mask-size-ipv4: '26', node-cidr-mask-size-ipv6: '80' }",
    "[{ name: node-cidr-mask-size-ipv4, value: '26' }, { name: node-cidr-mask-size-ipv6, value: '80' }]",
  ];
  for (const extraArgs of sizes) {
    const found = read(`
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
apiServer: { certSANs: [api.example.net, 192.0.2.7] }
controllerManager: { extraArgs: ${extraArgs} }
`);
    assert.deepEqual(found?.nodeCidrSizes, { IPv4: 26, IPv6: 80 });
    assert.deepEqual(found.certificateNames, ["api.example.net", "192.0.2.7"]);
  }
});

test("[KADM-1] the manifests have lists of both families", () => {
  const configuration = read(forms.v1beta4);
  assert.ok(configuration !== undefined);
  const manifests = JSON.stringify(kubeadmManifests(configuration));
  assert.match(
    manifests,
    /"kube-apiserver",[^\]]*--service-cluster-ip-range=fd00:1234::\/112,10\.96\.0\.0\/12/,
  );
  assert.match(
    manifests,
    /"kube-controller-manager",[^\]]*--cluster-cidr=fd00:10:20::\/72,10\.20\.0\.0\/16/,
  );
});

test("what is no configuration of kubeadm is left alone", () => {
  assert.equal(read("nodes: 3\npodCidr: 10.0.0.0/16"), undefined);
  assert.equal(read("apiVersion: v1\nkind: Pod"), undefined);
});

const refusals: readonly (readonly [networking: string, message: RegExp])[] = [
  [
    "podSubnet: '10.1.0.0/16,10.2.0.0/16'",
    /networking\.podSubnet=10\.1\.0\.0\/16,10\.2\.0\.0\/16: .* both IPv4/,
  ],
  [
    "serviceSubnet: 'fd00::/112,fd01::/112'",
    /networking\.serviceSubnet=fd00::\/112,fd01::\/112: .* both IPv6/,
  ],
  [
    "podSubnet: 10.0.0.0/8\n  serviceSubnet: 10.96.0.0/16",
    /networking\.podSubnet=10\.0\.0\.0\/8: it overlaps networking\.serviceSubnet=10\.96\.0\.0\/16/,
  ],
  ["podSubnet: fd00::/130", /networking\.podSubnet=fd00::\/130: .*length/],
  ["podSubnet: '10.1.0.0/16,'", /networking\.podSubnet=10\.1\.0\.0\/16,: .*element 2/],
  ["podSubnet: 10.1.0.0/28", /networking\.podSubnet=10\.1\.0\.0\/28: .*\/24 is not a part of it/],
  ["podSubnet: { a: 1 }", /networking\.podSubnet=\{"a":1\}: expected a text/],
  [
    "podSubnet: 10.1.0.0/16\n  serviceSubnet: fd00::/112",
    /networking\.serviceSubnet=fd00::\/112: there is no range of its family in networking\.podSubnet/,
  ],
];

for (const [networking, message] of refusals) {
  test(`[KADM-2] refused: ${networking.replaceAll(/\s+/g, " ")}`, () => {
    const text = `apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\nnetworking:\n  ${networking}`;
    assert.throws(
      () => read(text),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}

test("[KADM-2] two advertised addresses of one family are refused, and so are unknown versions", () => {
  assert.throws(
    () =>
      read(
        "api: { advertiseAddress: '10.0.0.1,10.0.0.2' }\nnetworking: { podSubnet: 10.1.0.0/16 }",
      ),
    /advertiseAddress=10\.0\.0\.1,10\.0\.0\.2: .* both IPv4/,
  );
  assert.throws(
    () => read("apiVersion: kubeadm.k8s.io/v9\nkind: ClusterConfiguration"),
    /apiVersion=kubeadm\.k8s\.io\/v9: known are/,
  );
});

function read(text: string) {
  return readKubeadm(parseAllDocuments(text).map((document) => document.toJS() as unknown));
}

// Objects of the tests of deploy/: what parts beside Kubernetes work on.

export function echoPod(
  name: string,
  nodeName: string,
  annotations: Record<string, string> = {},
): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name }, annotations },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "echo",
          image: "tandem.internal/echo",
          readinessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 },
        },
      ],
    },
  };
}

export const webService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: {
    ipFamilyPolicy: "RequireDualStack",
    selector: { app: "web" },
    ports: [{ port: 80, targetPort: 8080 }],
  },
};

export const dnsService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "kube-dns", namespace: "kube-system" },
  spec: {
    clusterIP: "10.96.0.10",
    clusterIPs: ["10.96.0.10", "fd00:96::a"],
    ipFamilyPolicy: "RequireDualStack",
    selector: { "app.kubernetes.io/name": "tandem-dns" },
    ports: [
      { name: "dns", port: 53, protocol: "UDP" },
      { name: "dns-tcp", port: 53, protocol: "TCP" },
    ],
  },
};

export const denyAll = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "deny-all" },
  spec: { podSelector: { matchLabels: { app: "web" } }, policyTypes: ["Ingress"] },
};

export const pool = {
  apiVersion: "tandem.internal/v1",
  kind: "AddressPool",
  metadata: { name: "lan" },
  spec: { addresses: ["192.0.2.200-192.0.2.210", "2001:db8::200-2001:db8::210"] },
};

const addresses = {
  apiServerInternalIPs: ["192.0.2.80", "2001:db8::80"],
  ingressIPs: ["192.0.2.90", "2001:db8::90"],
  machineNetworks: ["192.0.2.0/24", "2001:db8::/64"],
};
export const infrastructureStatus = {
  infrastructureName: "beside",
  platform: "BareMetal",
  platformStatus: { type: "BareMetal", baremetal: addresses },
};
export const infrastructure = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
  spec: { platformSpec: { type: "BareMetal", baremetal: addresses } },
};

/** What whereabouts leaves behind: addresses of a pod that lives and of one that is gone, and a slice of a lost node. */
export const leftByWhereabouts = [
  {
    apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
    kind: "IPPool",
    metadata: { name: "10.60.0.0-24", namespace: "kube-system" },
    spec: {
      range: "10.60.0.0/24",
      allocations: {
        "1": { id: "earlier", podref: "default/web", ifname: "net1" },
        "9": { id: "gone", podref: "default/gone", ifname: "net1" },
      },
    },
  },
  {
    apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
    kind: "OverlappingRangeIPReservation",
    metadata: { name: "10.60.0.9", namespace: "kube-system" },
    spec: { containerid: "gone", podref: "default/gone", ifname: "net1" },
  },
  {
    apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
    kind: "NodeSlicePool",
    metadata: { name: "blue-10.61.0.0-24", namespace: "kube-system" },
    spec: { range: "10.61.0.0/24", sliceSize: "/28" },
    status: { allocations: [{ nodeName: "lost", sliceRange: "10.61.0.0/28" }] },
  },
];

export const network = {
  apiVersion: "k8s.cni.cncf.io/v1",
  kind: "NetworkAttachmentDefinition",
  metadata: { name: "blue" },
  spec: {
    config: JSON.stringify({
      cniVersion: "0.3.1",
      name: "blue",
      type: "bridge",
      bridge: "blue0",
      ipam: {
        type: "whereabouts",
        // Nodes of this test share one host name.
        node_name: "one",
        ipRanges: [
          { range: "10.60.0.0/24" },
          { range: "fd60::/64" },
          { range: "10.62.0.0/24", node_slice_size: "/28" },
        ],
        kubernetes: { kubeconfig: "/etc/cni/net.d/whereabouts.d/whereabouts.kubeconfig" },
      },
    }),
  },
};

// The objects that DNS tests look up in a cluster: pods, and a service of every kind in front of them.

import { echoPod, echoPort } from "./connectivity.fixture.ts";

export const domain = "default.svc.cluster.local";
export const endpointFamilies = {
  ipv4: ["IPv4"],
  ipv6: ["IPv6"],
  "dual-stack": ["IPv4", "IPv6"],
} as const;

/** The addresses of a service, more than one datagram can hold. */
export const manyAddresses = Array.from(
  { length: 300 },
  (_, index) => `192.0.${2 + Math.floor(index / 200)}.${1 + (index % 200)}`,
);

const selector = { app: "echo" };
const ports = [{ name: "http", port: 80, targetPort: echoPort }];
const quiet = { terminationGracePeriodSeconds: 1, automountServiceAccountToken: false };

export const members = [0, 1].map((index) => {
  const pod = echoPod({ name: `web-${index}`, node: "node-1" });
  return {
    ...pod,
    spec: { ...pod.spec, hostname: `web-${index}`, subdomain: "headless-dual-stack" },
  };
});

/** The pod of the client, which has `dig`, `getent` and `curl`. */
export const client = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "client", namespace: "default" },
  spec: {
    ...quiet,
    containers: [{ name: "main", image: "tandem.internal/host", command: ["sleep", "infinity"] }],
  },
};

/** Returns the pod of another DNS server, whose upstreams nobody listens at. */
export function lonelyServer(upstreams: readonly string[]) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "lonely", namespace: "kube-system" },
    spec: {
      terminationGracePeriodSeconds: 1,
      serviceAccountName: "tandem-dns",
      dnsPolicy: "Default",
      containers: [
        {
          name: "dns",
          image: "tandem.internal/tandem",
          args: [
            "dns",
            "--autopath",
            `--upstream=${upstreams.join(",")}`,
            "--health-address=:9153",
          ],
          readinessProbe: { httpGet: { path: "/readyz", port: 9153 }, periodSeconds: 1 },
        },
      ],
    },
  };
}

export const services: readonly object[] = [
  service("both", { selector, ports, ipFamilyPolicy: "RequireDualStack" }),
  service("four", { selector, ports, ipFamilies: ["IPv4"] }),
  service("six", { selector, ports, ipFamilies: ["IPv6"] }),
  ...Object.keys(endpointFamilies).map((endpointFamily) =>
    service(`headless-${endpointFamily}`, { selector, ports, clusterIP: "None", endpointFamily }),
  ),
  service("first", { type: "ExternalName", externalName: `second.${domain}` }),
  service("second", { type: "ExternalName", externalName: `both.${domain}` }),
  service("away", { type: "ExternalName", externalName: "www.example.com" }),
  service("many", { clusterIP: "None", ports }),
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "many-by-hand", labels: { "kubernetes.io/service-name": "many" } },
    addressType: "IPv4",
    endpoints: manyAddresses.map((address) => ({ addresses: [address] })),
    ports: [{ name: "http", protocol: "TCP", port: echoPort }],
  },
];

function service(name: string, spec: object) {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec };
}

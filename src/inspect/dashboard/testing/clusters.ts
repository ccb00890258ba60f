// Clusters for tests: everything is there in both families alike, unless a test takes something away.

import fc, { type Arbitrary } from "fast-check";
import type { Node, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { type ClusterObjects, noObjects, serviceNameLabel } from "../model/cluster.ts";
import type { IpamPool } from "../model/ipam.ts";

export interface ClusterPlan {
  readonly nodes: number;
  /** The node of each pod, and whether it is ready. */
  readonly pods: readonly { readonly node: number; readonly isReady: boolean }[];
  /** The pods of each service, and its type. */
  readonly services: readonly {
    readonly pods: readonly number[];
    readonly type: "ClusterIP" | "NodePort" | "LoadBalancer";
  }[];
}

export const anyPlan: Arbitrary<ClusterPlan> = fc.integer({ min: 1, max: 4 }).chain((nodes) =>
  fc
    .array(fc.record({ node: fc.nat(nodes - 1), isReady: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    })
    .chain((pods) =>
      fc
        .array(
          fc.record({
            pods: fc.uniqueArray(fc.nat(pods.length - 1)),
            type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
          }),
          { minLength: 1, maxLength: 4 },
        )
        .map((services) => ({ nodes, pods, services })),
    ),
);

const subnets: Readonly<Record<Family, (network: number, host: number) => string>> = {
  IPv4: (network, host) => `10.${network}.0.${host}`,
  IPv6: (network, host) => `fd00:${network}::${host.toString(16)}`,
};
const pair = (network: number, host: number) =>
  families.map((family) => subnets[family](network, host));

export function clusterOf(plan: ClusterPlan): ClusterObjects {
  return {
    ...noObjects,
    nodes: Array.from({ length: plan.nodes }, (_, index) => nodeOf(index)),
    pods: plan.pods.map((pod, index) => podOf(index, pod)),
    services: plan.services.map(({ type }, index) => serviceOf(index, type)),
    slices: plan.services.flatMap(({ pods }, index) =>
      families.map((family) => sliceOf(index, { family, pods, plan })),
    ),
    serviceCidrs: [
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "ServiceCIDR",
        metadata: { name: "kubernetes" },
        spec: { cidrs: ["10.96.0.0/24", "fd00:96::/120"] },
      },
    ],
  };
}

export function nodeOf(index: number): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${index}` },
    spec: { podCIDRs: [`10.${100 + index}.0.0/24`, `fd00:${100 + index}::/64`] },
    status: {
      addresses: pair(1, index + 1).map((address) => ({ type: "InternalIP", address })),
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

export function podOf(index: number, { node, isReady }: ClusterPlan["pods"][number]): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: `pod-${index}` },
    spec: { nodeName: `node-${node}`, containers: [] },
    status: {
      phase: "Running",
      podIPs: pair(100 + node, index + 2).map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
    },
  };
}

function serviceOf(index: number, type: ClusterPlan["services"][number]["type"]): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name: `service-${index}` },
    spec: {
      type,
      clusterIPs: pair(96, index + 10),
      ipFamilies: [...families],
      ports: [{ port: 80, ...(type === "ClusterIP" ? {} : { nodePort: 30_000 + index }) }],
    },
    status: {
      loadBalancer: {
        ingress: type === "LoadBalancer" ? pair(200, index + 1).map((ip) => ({ ip })) : [],
      },
    },
  };
}

function sliceOf(
  index: number,
  {
    family,
    pods,
    plan,
  }: { readonly family: Family; readonly pods: readonly number[]; readonly plan: ClusterPlan },
): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace: "shop",
      name: `service-${index}-${family.toLowerCase()}`,
      labels: { [serviceNameLabel]: `service-${index}` },
    },
    addressType: family,
    endpoints: pods.flatMap((at) => {
      const pod = plan.pods[at];
      if (pod === undefined) return [];
      return {
        addresses: [subnets[family](100 + pod.node, at + 2)],
        conditions: { ready: pod.isReady },
        nodeName: `node-${pod.node}`,
        targetRef: { kind: "Pod", name: `pod-${at}` },
      };
    }),
  };
}

/** The cluster with a second network of pods, whose pools are kept by IPAM. */
export function withIpam(cluster: ClusterObjects): ClusterObjects {
  const apiVersion = "whereabouts.cni.cncf.io/v1alpha1";
  const pool = (name: string, spec: IpamPool["spec"]): IpamPool => ({
    apiVersion,
    kind: "IPPool",
    metadata: { namespace: "kube-system", name },
    spec,
  });
  const holder = { owner: "shop/pod-0", ifname: "net1" };
  const keptUntil = "2030-01-01T00:00:00.000Z";
  return {
    ...cluster,
    ipPools: [
      pool("blue-10.60.0.0-16", {
        range: "10.60.0.0/16",
        network: "blue",
        size: "65534",
        held: [
          { ...holder, address: "10.60.0.1" },
          { ...holder, owner: "shop/gone", address: "10.60.0.7", keptUntil },
        ],
      }),
      pool("blue-fd60---64", {
        range: "fd60::/64",
        network: "blue",
        size: ((1n << 64n) - 1n).toString(),
        held: [{ ...holder, address: "fd60::1" }],
      }),
    ],
    nodeSlicePools: [
      {
        apiVersion,
        kind: "NodeSlicePool",
        metadata: { namespace: "kube-system", name: "shared" },
        spec: { range: "10.70.0.0/24", sliceSize: "/26", network: "shared" },
        status: { allocations: [{ nodeName: "node-0", sliceRange: "10.70.0.0/26" }] },
      },
    ],
  };
}

/** The cluster as it is without some of one family's addresses and ranges. */
export function without(
  cluster: ClusterObjects,
  family: Family,
  what: "node ranges" | "pod addresses" | "cluster IPs" | "load balancers" | "endpoints",
): ClusterObjects {
  const at = families.indexOf(family);
  const others = <T>(values: readonly T[] | undefined): T[] =>
    (values ?? []).filter((_, index) => index !== at);
  switch (what) {
    case "node ranges":
      return {
        ...cluster,
        nodes: cluster.nodes.map((node) => ({
          ...node,
          spec: { podCIDRs: others(node.spec.podCIDRs) },
        })),
      };
    case "pod addresses":
      return {
        ...cluster,
        pods: cluster.pods.map((pod) => ({
          ...pod,
          status: { ...pod.status, podIPs: others(pod.status?.podIPs) },
        })),
      };
    case "cluster IPs":
      return {
        ...cluster,
        services: cluster.services.map((service) => ({
          ...service,
          spec: { ...service.spec, clusterIPs: others(service.spec.clusterIPs) },
        })),
      };
    case "load balancers":
      return {
        ...cluster,
        services: cluster.services.map((service) => ({
          ...service,
          status: { loadBalancer: { ingress: others(service.status?.loadBalancer?.ingress) } },
        })),
      };
    case "endpoints":
      return {
        ...cluster,
        slices: cluster.slices.map((slice) =>
          slice.addressType === family ? { ...slice, endpoints: [] } : slice,
        ),
      };
  }
}
